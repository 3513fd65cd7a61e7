extension ColumnDescription {
    /// The columns that a list of generated code describes, one a line:
    ///
    ///     likes integer64
    ///     author ->0.0?
    ///     Reply$text string? property=text entity=Reply
    ///
    /// A name and a type; of a foreign key the numbers of the destination's root and of the destination. A question mark
    /// stands for what may be NULL. The property has the column's name, and the entity is the one that is described, where
    /// nothing else is said. Other words are `leaf`, `external`, `derived` and `preserved`.
    static func columns(_ list: String, of entity: String, _ rules: [Int: [ValidationRule]]) -> [ColumnDescription] {
        list.split(separator: "\n").enumerated().map { number, line in
            ColumnDescription(line, of: entity, rules[number] ?? [])
        }
    }

    private init(_ line: Substring, of entity: String, _ rules: [ValidationRule]) {
        var words = line.split(separator: " ")[...]
        precondition(words.count > 1, "this describes no column: \(line)")
        let name = String(words.removeFirst())
        var type = words.removeFirst()
        let isOptional = type.hasSuffix("?")
        if isOptional { type.removeLast() }
        let isReference = type.hasPrefix("->")
        let attributeType = AttributeType(rawValue: String(type))
        precondition(isReference || attributeType != nil, "this is no type of a column: \(line)")
        self.init(
            name, property: Self.value(of: "property", words) ?? name,
            entity: Self.value(of: "entity", words) ?? entity,
            isOptional: isOptional, type: attributeType,
            destination: isReference ? Self.number(type.dropFirst(2)) : nil,
            isRequiredLeaf: words.contains("leaf"), isExternal: words.contains("external"),
            isDerived: words.contains("derived"), isPreservedAfterDeletion: words.contains("preserved"), rules: rules)
    }

    private static func value(of key: String, _ words: ArraySlice<Substring>) -> String? {
        words.first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    private static func number(_ text: Substring) -> EntityNumber? {
        let parts = text.split(separator: ".").compactMap { UInt16($0) }
        return parts.count == 2 ? EntityNumber(root: parts[0], entity: parts[1]) : nil
    }
}
