import StoreDescription

extension ColumnDescription {
    /// Returns the columns that a list of generated code describes, one per line.
    ///
    /// - Parameter count: The least number of columns, given by the column numbers in other parts of the description.
    /// - Returns: At least that many columns, and the first line that does not describe one; the line is empty if one
    ///   is missing. A placeholder stands for each such column. Nothing uses it, because opening a container throws.
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
            type: type, destination: destination, isRequiredInComposite: line.isRequiredInComposite,
            isExternal: line.isExternal,
            isDerived: line.isDerived, isPreservedAfterDeletion: line.isPreserved, rules: rules)
    }
}
