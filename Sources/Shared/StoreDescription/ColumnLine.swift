/// A column of an entity as a line of generated code describes it:
///
///     likes integer64
///     author ->0.0?
///     Reply$text string? property=text entity=Reply
///
/// A line has a name and a type. The type of a foreign key has the numbers of the destination's root entity and of the
/// destination. A question mark allows NULL. The property defaults to the column's name, and the entity to the
/// described one. Other words are `leaf`, `external`, `derived` and `preserved`.
///
/// The generator writes the lines with this type, and the runtime reads them. A call of an initialiser for each column
/// would take a third of the time that generated code needs to compile.
package struct ColumnLine: Sendable, Hashable {
    /// The types of attributes, as they are stored.
    package enum AttributeType: String, Sendable, CaseIterable {
        case integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary, uuid, uri
        case transformable
    }

    /// The content of a column.
    package enum Content: Sendable, Hashable {
        case attribute(AttributeType)
        /// A reference to an object, with the numbers of the destination's root entity and of the destination.
        case reference(root: UInt16, entity: UInt16)
    }

    /// The column's name in the table.
    package var name: String
    package var content: Content
    /// Whether the column allows NULL.
    package var isOptional: Bool
    /// The property's name in the model.
    package var property: String
    /// The entity that declares the property; nil for the one that is described.
    package var entity: String?
    /// Whether the value is required if its composite is present.
    package var isRequiredInComposite = false
    /// Whether a large value is kept in a file beside the store.
    package var isExternal = false
    /// Whether the store derives the value.
    package var isDerived = false
    /// Whether the store's history keeps the value when the object is deleted.
    package var isPreserved = false

    /// Makes a description; the property has the column's name.
    package init(_ name: String, _ content: Content, isOptional: Bool) {
        self.name = name
        property = name
        self.content = content
        self.isOptional = isOptional
    }

    // MARK: Writing

    /// The line.
    package var text: String {
        var words = [name]
        switch content {
        case .attribute(let type): words.append(type.rawValue)
        case .reference(let root, let entity): words.append("->\(root).\(entity)")
        }
        if isOptional { words[1] += "?" }
        for (isSaid, word) in [
            (isRequiredInComposite, "leaf"), (isExternal, "external"), (isDerived, "derived"),
            (isPreserved, "preserved"),
        ] where isSaid { words.append(word) }
        if property != name { words.append("property=\(property)") }
        if let entity { words.append("entity=\(entity)") }
        return words.joined(separator: " ")
    }

    // MARK: Reading

    /// Reads a line; nil if it is not valid. Reads bytes, because names may contain any characters.
    package init?(_ line: Substring) {
        var rest = line.utf8
        func word() -> Substring? {
            if rest.isEmpty { return nil }
            let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
            defer { rest = end < rest.endIndex ? rest[rest.index(after: end)...] : rest[end...] }
            return Substring(rest[..<end])
        }
        guard let name = word(), !name.isEmpty, var type = word() else { return nil }
        let isOptional = type.utf8.last == UInt8(ascii: "?")
        if isOptional { type.removeLast() }
        guard let content = Self.content(type) else { return nil }
        self.init(String(name), content, isOptional: isOptional)
        while let word = word() {
            switch word {
            case "leaf": isRequiredInComposite = true
            case "external": isExternal = true
            case "derived": isDerived = true
            case "preserved": isPreserved = true
            default:
                if let text = Self.value(of: "property=", word) {
                    property = text
                } else if let text = Self.value(of: "entity=", word) {
                    entity = text
                } else {
                    return nil
                }
            }
        }
        // The printer writes no space at the end.
        if line.utf8.last == UInt8(ascii: " ") { return nil }
    }

    private static func content(_ type: Substring) -> Content? {
        guard type.utf8.starts(with: "->".utf8) else {
            return AttributeType(rawValue: String(type)).map(Content.attribute)
        }
        let numbers = type.utf8.dropFirst(2).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard numbers.count == 2, let root = UInt16(Substring(numbers[0])), let entity = UInt16(Substring(numbers[1]))
        else { return nil }
        return .reference(root: root, entity: entity)
    }

    private static func value(of key: String, _ word: Substring) -> String? {
        guard word.utf8.starts(with: key.utf8), word.utf8.count > key.utf8.count else { return nil }
        return String(Substring(word.utf8.dropFirst(key.utf8.count)))
    }
}
