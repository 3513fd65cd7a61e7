import StoreDescription

extension ColumnDescription {
    /// The columns that a list of generated code describes, one a line.
    ///
    /// - Parameter count: How many there are at least, by the numbers that other parts of the description speak of.
    /// - Returns: As many columns, and the first line that describes none; the line is empty where one is missing. For
    ///   such a line there is a column that nobody uses, as opening a container throws.
    static func columns(
        _ list: String, of entity: String, _ rules: [Int: [ValidationRule]], atLeast count: Int
    ) -> (columns: [ColumnDescription], invalidLine: String?) {
        var invalidLine: String?
        var columns: [ColumnDescription] = []
        for line in list.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init) {
            guard let read = ColumnLine(line),
                let column = ColumnDescription(read, of: entity, rules[columns.count] ?? [])
            else {
                invalidLine = invalidLine ?? String(line)
                columns.append(nothing(of: entity))
                continue
            }
            columns.append(column)
        }
        if columns.count < count { invalidLine = invalidLine ?? "" }
        while columns.count < count { columns.append(nothing(of: entity)) }
        return (columns, invalidLine)
    }

    private static func nothing(of entity: String) -> ColumnDescription {
        ColumnDescription("", property: "", entity: entity, isOptional: true)
    }

    private init?(_ line: ColumnLine, of entity: String, _ rules: [ValidationRule]) {
        var type: AttributeType?
        var destination: EntityNumber?
        switch line.content {
        case .attribute(let stored):
            guard let known = AttributeType(rawValue: stored.rawValue) else { return nil }
            type = known
        case .reference(let root, let entity): destination = EntityNumber(root: root, entity: entity)
        }
        self.init(
            line.name, property: line.property, entity: line.entity ?? entity, isOptional: line.isOptional,
            type: type, destination: destination, isRequiredLeaf: line.isRequiredLeaf, isExternal: line.isExternal,
            isDerived: line.isDerived, isPreservedAfterDeletion: line.isPreserved, rules: rules)
    }
}
