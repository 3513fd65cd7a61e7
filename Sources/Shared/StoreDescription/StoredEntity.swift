/// The stored properties of an entity in one version of a model, and their places in the store.
///
/// A program needs it to read a Core Data store of that version. The generator writes it as lines, and the runtime
/// reads them, with this one type:
///
///     :Article Content table=Content
///     subtitle string? column=Article$subtitle
///     author ->Person? ~articles column=author
///     tags =>Tag? ~articles ordered table=Article$tags own=source$ other=target$ order=target$order
///
/// The first line has the entity's name and its parent's. An attribute has a type. A relationship has an arrow, which
/// is single for a to-one, the name of its destination, and its inverse after a tilde. A question mark allows nil. The
/// column defaults to the property's name. `was=` precedes the renaming identifier. Other words are `abstract`,
/// `external`, `derived` and `preserved`.
package struct StoredEntity: Sendable, Hashable {
    package var name: String
    /// The name of the parent entity; nil for a root.
    package var parent: String?
    package var isAbstract: Bool
    /// The entity's name in an earlier version, from the model; nil if the name is the same.
    package var renamingIdentifier: String?
    /// The table of the root entity and all its sub-entities.
    package var table: String
    /// The entity's own attributes by name; for a composite, its leaves.
    package var attributes: [Attribute]
    /// The entity's own relationships by name.
    package var relationships: [Relationship]

    /// Makes a description.
    package init(
        name: String, parent: String? = nil, isAbstract: Bool = false, table: String, attributes: [Attribute] = [],
        relationships: [Relationship] = []
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.table = table
        self.attributes = attributes
        self.relationships = relationships
    }

    /// A value in a column.
    package struct Attribute: Sendable, Hashable {
        /// The attribute's name, then the names within its composites down to the leaf.
        package var path: [String]
        /// Nil for the column that records whether an optional composite is present.
        package var type: ColumnLine.AttributeType?
        package var column: String
        /// Whether every object allows NULL.
        package var isOptional = false
        package var isExternal = false
        package var isDerived = false
        package var isPreserved = false

        /// Makes a description.
        package init(path: [String], type: ColumnLine.AttributeType?, column: String) {
            self.path = path
            self.type = type
            self.column = column
        }

        /// The key path from the entity.
        package var keyPath: String { path.joined(separator: ".") }
    }

    /// A relationship that is stored.
    package struct Relationship: Sendable, Hashable {
        /// The place of the references.
        package enum Storage: Sendable, Hashable {
            /// In a column of the entity's own table.
            case column(String)
            /// In a column of the destination's table, with a column of positions if ordered.
            case inverseColumn(String, order: String?)
            /// In a table of pairs, with a column of positions if ordered.
            case joinTable(String, own: String, other: String, order: String?)
        }

        package var name: String
        /// The name of the destination entity.
        package var destination: String
        /// The name of the inverse relationship; nil if there is none.
        package var inverse: String?
        package var isToMany: Bool
        package var isOrdered = false
        package var isOptional = true
        package var storage: Storage

        /// Makes a description.
        package init(
            name: String, destination: String, inverse: String? = nil, isToMany: Bool, storage: Storage
        ) {
            self.name = name
            self.destination = destination
            self.inverse = inverse
            self.isToMany = isToMany
            self.storage = storage
        }
    }
}

// MARK: Text

extension StoredEntity {
    /// The lines.
    package var text: String {
        var words = [":" + name]
        if let parent { words.append(parent) }
        words.append("table=" + table)
        if isAbstract { words.append("abstract") }
        if let renamingIdentifier { words.append("was=" + renamingIdentifier) }
        return ([words.joined(separator: " ")] + attributes.map(\.text) + relationships.map(\.text))
            .joined(separator: "\n")
    }

    /// Reads the lines of several entities; nil if a line is not valid.
    package static func entities(_ text: String) -> [StoredEntity]? {
        var result: [StoredEntity] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            if line.first == UInt8(ascii: ":") {
                guard let entity = StoredEntity(heading: words) else { return nil }
                result.append(entity)
            } else if result.isEmpty {
                return nil
            } else if let attribute = Attribute(words) {
                result[result.count - 1].attributes.append(attribute)
            } else if let relationship = Relationship(words) {
                result[result.count - 1].relationships.append(relationship)
            } else {
                return nil
            }
        }
        return result
    }

    // MARK: From version to version

    /// The lines of entities that differ from the version before. A minus sign precedes the name of a removed entity.
    package static func changes(from old: [StoredEntity], to new: [StoredEntity]) -> String {
        let before = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
        let names = Set(new.map(\.name))
        return
            (new.filter { before[$0.name] != $0 }.map(\.text)
            + old.map(\.name).filter { !names.contains($0) }.map { "-" + $0 }).joined(separator: "\n")
    }

    /// The entities of a version by name, from those of the version before and the lines of the differences; nil if a
    /// line is not valid.
    package static func entities(after old: [StoredEntity], _ changes: String) -> [StoredEntity]? {
        var lines: [Substring] = []
        var gone: Set<String> = []
        for line in changes.utf8.split(separator: UInt8(ascii: "\n")).map({ Substring($0) }) {
            if let name = String(line).dropping("-") { gone.insert(name) } else { lines.append(line) }
        }
        guard let changed = entities(lines.joined(separator: "\n")) else { return nil }
        let names = gone.union(changed.map(\.name))
        return (old.filter { !names.contains($0.name) } + changed).sorted { $0.name < $1.name }
    }

    private init?(heading words: [String]) {
        guard let first = words.first, first.utf8.count > 1 else { return nil }
        self.init(name: first.dropping(":") ?? first, table: "")
        for word in words.dropFirst() {
            if let table = word.dropping("table=") {
                self.table = table
            } else if let name = word.dropping("was="), !table.isEmpty {
                renamingIdentifier = name
            } else if word == "abstract", !table.isEmpty {
                isAbstract = true
            } else if parent == nil, table.isEmpty {
                parent = word
            } else {
                return nil
            }
        }
        if table.isEmpty { return nil }
    }
}

extension StoredEntity.Attribute {
    /// The type of the column that records whether an optional composite is present.
    private static let presence = "presence"

    fileprivate var text: String {
        var words = [keyPath, (type?.rawValue ?? Self.presence) + (isOptional ? "?" : "")]
        if column != keyPath { words.append("column=" + column) }
        for (isSaid, word) in [(isExternal, "external"), (isDerived, "derived"), (isPreserved, "preserved")]
        where isSaid { words.append(word) }
        return words.joined(separator: " ")
    }

    fileprivate init?(_ words: [String]) {
        guard words.count >= 2 else { return nil }
        let isOptional = words[1].utf8.last == UInt8(ascii: "?")
        let name = isOptional ? words[1].droppingLastByte() : words[1]
        let type = ColumnLine.AttributeType(rawValue: name)
        guard type != nil || name == Self.presence else { return nil }
        let path = words[0].utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        self.init(path: path, type: type, column: words[0])
        self.isOptional = isOptional
        for word in words.dropFirst(2) {
            switch word {
            case "external": isExternal = true
            case "derived": isDerived = true
            case "preserved": isPreserved = true
            default:
                guard let column = word.dropping("column=") else { return nil }
                self.column = column
            }
        }
    }
}

extension StoredEntity.Relationship {
    fileprivate var text: String {
        var words = [name, (isToMany ? "=>" : "->") + destination + (isOptional ? "?" : "")]
        if let inverse { words.append("~" + inverse) }
        if isOrdered { words.append("ordered") }
        let parts: [(String, String?)]
        switch storage {
        case .column(let column): parts = [("column=", column)]
        case .inverseColumn(let column, let order): parts = [("inverse=", column), ("order=", order)]
        case .joinTable(let table, let own, let other, let order):
            parts = [("table=", table), ("own=", own), ("other=", other), ("order=", order)]
        }
        words += parts.compactMap { key, value in value.map { key + $0 } }
        return words.joined(separator: " ")
    }

    fileprivate init?(_ words: [String]) {
        guard words.count >= 3, let arrow = words[1].dropping("=>") ?? words[1].dropping("->") else { return nil }
        let isOptional = arrow.utf8.last == UInt8(ascii: "?")
        var (inverse, isOrdered): (String?, Bool) = (nil, false)
        var values: [String: String] = [:]
        for word in words.dropFirst(2) {
            if let name = word.dropping("~") {
                inverse = name
            } else if word == "ordered" {
                isOrdered = true
            } else if let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
                values[String(word[..<sign])] = String(word[word.utf8.index(after: sign)...])
            } else {
                return nil
            }
        }
        let storage: Storage
        if let table = values["table"], let own = values["own"], let other = values["other"] {
            storage = .joinTable(table, own: own, other: other, order: values["order"])
        } else if let column = values["inverse"] {
            storage = .inverseColumn(column, order: values["order"])
        } else if let column = values["column"] {
            storage = .column(column)
        } else {
            return nil
        }
        self.init(
            name: words[0], destination: isOptional ? arrow.droppingLastByte() : arrow,
            isToMany: words[1].utf8.first == UInt8(ascii: "="), storage: storage)
        self.isOptional = isOptional
        (self.inverse, self.isOrdered) = (inverse, isOrdered)
    }
}

extension String {
    /// The text without a prefix; nil if it does not have the prefix.
    fileprivate func dropping(_ beginning: String) -> String? {
        guard utf8.starts(with: beginning.utf8) else { return nil }
        return String(Substring(utf8.dropFirst(beginning.utf8.count)))
    }

    /// The text without its last byte, which may form one character with the byte before it.
    fileprivate func droppingLastByte() -> String { String(Substring(utf8.dropLast())) }
}
