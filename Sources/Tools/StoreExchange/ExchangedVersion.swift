import Foundation
import StoreDescription

/// The storage of a version, in the form of objects outside of a store: the fields and columns by entity.
package struct ExchangedVersion: Sendable {
    /// A field of an object.
    enum Field: Sendable {
        /// A value; the path leads into composites.
        case value(path: [String], StoredEntity.Attribute)
        /// A reference to one object, perhaps with its position among those that refer to it.
        case one(StoredEntity.Relationship, column: String, order: String?)
        /// References to many, in a table of pairs.
        case many(StoredEntity.Relationship, table: String, own: String, other: String, order: String?)
        /// A reference to one object whose column refers back; only when a text is read.
        case inverse(StoredEntity.Relationship, table: String, column: String)

        var name: String {
            switch self {
            case .value(let path, _): path.joined(separator: ".")
            case .one(let relationship, _, _), .many(let relationship, _, _, _, _),
                .inverse(let relationship, _, _):
                relationship.name
            }
        }

        /// The key that distinguishes the field from those of other entities in the same table with the same name.
        var key: String {
            let place = if case .many(_, let table, let own, _, _) = self { [table, own] } else { columns }
            return ([name] + place).joined(separator: "\0")
        }

        /// The columns of the object's own table.
        var columns: [String] {
            switch self {
            case .value(_, let attribute): [attribute.column]
            case .one(_, let column, let order): [column] + (order.map { [$0] } ?? [])
            case .many, .inverse: []
            }
        }
    }

    /// The keys of an object's entity and number. No property can have such a name.
    package static let entityKey = "$entity"
    package static let numberKey = "$id"
    /// The suffix of a relationship's name for the position.
    static let orderSuffix = "$order"

    private let entities: [String: StoredEntity]
    private let children: [String: [String]]

    package init(_ entities: [StoredEntity]) {
        self.entities = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        var children: [String: [String]] = [:]
        for entity in entities { if let parent = entity.parent { children[parent, default: []].append(entity.name) } }
        self.children = children
    }

    /// The names of the entities without one above them.
    package var roots: [String] { entities.values.filter { $0.parent == nil }.map(\.name).sorted() }

    package var names: [String] { entities.keys.sorted() }

    /// The roots in an order in which objects that are referred to by an attribute come before those that refer to
    /// them, as far as possible.
    package func roots(referringBy keys: ReferenceKeys) -> [String] {
        var (result, begun): ([String], Set<String>) = ([], [])
        func add(_ root: String) {
            guard begun.insert(root).inserted else { return }
            let destinations = hierarchy(root).flatMap(\.relationships).filter { relationship in
                if case .inverseColumn = relationship.storage { return false }
                return keys.attribute(for: relationship.destination, self) != nil
            }
            for destination in Set(destinations.compactMap { line($0.destination).first?.name }).sorted() {
                add(destination)
            }
            result.append(root)
        }
        for root in roots { add(root) }
        return result
    }

    func entity(_ name: String) -> StoredEntity? { entities[name] }

    /// An entity and all below it, by name.
    func hierarchy(_ name: String) -> [StoredEntity] {
        var (result, waiting): ([StoredEntity], [String]) = ([], [name])
        while let next = waiting.popLast() {
            guard let entity = entities[next] else { continue }
            result.append(entity)
            waiting += children[next] ?? []
        }
        return result.sorted { $0.name < $1.name }
    }

    /// An entity and those above it, the root first.
    func line(_ name: String) -> [StoredEntity] {
        var result: [StoredEntity] = []
        var entity = entities[name]
        while let found = entity, result.count <= entities.count {
            result.insert(found, at: 0)
            entity = found.parent.flatMap { entities[$0] }
        }
        return result
    }

    /// Returns whether objects of several entities share the table of an entity, so that a column distinguishes them.
    func hasDiscriminator(_ name: String) -> Bool {
        guard let root = line(name).first else { return false }
        return !(children[root.name] ?? []).isEmpty
    }

    /// The fields of an entity's objects, inherited ones first.
    ///
    /// - Parameter isRead: Whether the fields are those of a text to read, which may have a many-to-many or one-to-one
    ///   relationship on either side.
    func fields(of name: String, isRead: Bool = false) -> [Field] {
        line(name).flatMap { entity in
            let values = entity.attributes.filter { !$0.isDerived }.map { Field.value(path: $0.path, $0) }
            let references = entity.relationships.compactMap { relationship -> Field? in
                switch relationship.storage {
                case .column(let column): .one(relationship, column: column, order: order(of: relationship))
                // One of the two sides is written, and the other one too if it has an order of its own.
                case .joinTable(let table, let own, let other, let order):
                    isRead || isTold(relationship, own, order)
                        ? .many(relationship, table: table, own: own, other: other, order: order) : nil
                // The other side is written.
                case .inverseColumn(let column, _):
                    isRead && !relationship.isToMany
                        ? line(relationship.destination).first
                            .map { .inverse(relationship, table: $0.table, column: column) } : nil
                }
            }
            return values + references
        }
    }

    /// The reason why a text cannot have a property of an entity.
    func reason(notToLoad property: String, of entity: String) -> String {
        for found in line(entity) {
            if found.attributes.contains(where: { $0.isDerived && $0.keyPath == property }) {
                return "\(entity).\(property) is derived: leave it out."
            }
            guard let relationship = found.relationships.first(where: { $0.name == property }),
                let inverse = relationship.inverse
            else { continue }
            return
                "\(entity).\(property) is said by the other side: give each \(relationship.destination) its \(inverse)."
        }
        return "\(entity) has no property \(property)."
    }

    private func isTold(_ relationship: StoredEntity.Relationship, _ own: String, _ order: String?) -> Bool {
        if order != nil { return true }
        guard let name = relationship.inverse else { return true }
        for entity in line(relationship.destination) {
            guard let inverse = entity.relationships.first(where: { $0.name == name }),
                case .joinTable(_, let other, _, let inverseOrder) = inverse.storage
            else { continue }
            return inverseOrder == nil && own <= other
        }
        return true
    }

    /// Returns whether a relationship leads back to itself, so that its table of pairs has each pair in both
    /// directions.
    func isOwnInverse(_ relationship: StoredEntity.Relationship) -> Bool {
        guard relationship.inverse == relationship.name else { return false }
        return line(relationship.destination).contains { entity in
            entity.relationships.contains { $0.name == relationship.name && $0.storage == relationship.storage }
        }
    }

    /// The column of the positions that the other side of a relationship between many has.
    func orderOfPairs(inverseTo relationship: StoredEntity.Relationship) -> String? {
        guard let name = relationship.inverse else { return nil }
        for entity in line(relationship.destination) {
            guard let inverse = entity.relationships.first(where: { $0.name == name }),
                case .joinTable(_, _, _, let order) = inverse.storage
            else { continue }
            return order
        }
        return nil
    }

    /// The column of the position among those that an object's ordered relationship leads to.
    private func order(of relationship: StoredEntity.Relationship) -> String? {
        guard let name = relationship.inverse else { return nil }
        for entity in line(relationship.destination) {
            guard let inverse = entity.relationships.first(where: { $0.name == name }),
                case .inverseColumn(_, let order) = inverse.storage
            else { continue }
            return order
        }
        return nil
    }
}

/// The attributes that identify referenced objects, in place of their numbers.
package struct ReferenceKeys: Sendable {
    private var attributes: [String: String] = [:]

    package init() {}

    /// Adds an entry such as `Author.name`; returns false if the text does not have that form.
    package mutating func add(_ text: String) -> Bool {
        guard let dot = text.firstIndex(of: ".") else { return false }
        let (entity, attribute) = (String(text[..<dot]), String(text[text.index(after: dot)...]))
        if entity.isEmpty || attribute.isEmpty { return false }
        attributes[entity] = attribute
        return true
    }

    var entityNames: [String] { attributes.keys.sorted() }

    /// The attribute for an entity, by itself or by one above it.
    func attribute(for entity: String, _ version: ExchangedVersion) -> StoredEntity.Attribute? {
        for declaring in version.line(entity) {
            guard let name = attributes[declaring.name] else { continue }
            return version.line(entity).flatMap(\.attributes).first { $0.keyPath == name && $0.type != nil }
        }
        return nil
    }

    /// Throws if a key names an entity or attribute that the version does not have.
    func check(_ version: ExchangedVersion) throws {
        for name in entityNames {
            if version.entity(name) == nil { throw ExchangeError("There is no entity \(name).") }
            if attribute(for: name, version) == nil {
                throw ExchangeError("\(name) has no attribute \(attributes[name] ?? "").")
            }
        }
    }
}

/// Why objects cannot be written or read, in words.
package struct ExchangeError: Error, Hashable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
