import Ashlar
import AshlarSQLite
import SQLQuoting
import StoreDescription

/// An object with all its stored values.
@_spi(Studio) public struct BrowsedObject: Sendable {
    public struct Attribute: Hashable, Sendable {
        public var name: String
        /// The type of the model, with a question mark where nil is allowed.
        public var type: String
        public var isOptional: Bool
        public var value: BrowsedValue
        /// Whether a form can change it. Derived attributes, bytes, parts of composites, and values that a text would
        /// not preserve cannot be changed.
        public var isEditable: Bool
        /// The text that an editor begins with, which reads as the value; nil if the value has no text.
        public var editedText: String?
        /// The field of a form.
        public var field: EditedField

        init(
            _ attribute: StoredEntity.Attribute, _ value: BrowsedValue, _ editing: EditedValue, _ field: EditedField
        ) {
            self.field = field
            name = attribute.keyPath
            type = (attribute.type?.rawValue ?? "is there") + (attribute.isOptional ? "?" : "")
            isOptional = attribute.isOptional
            self.value = value
            isEditable = editing.isPossible
            editedText = editing.text
        }
    }

    public struct Relationship: Sendable {
        public var name: String
        /// The entity that it leads to.
        public var destination: String
        public var isToMany: Bool
        public var isOptional: Bool
        /// Whether its objects have an order.
        public var isOrdered: Bool
        /// The objects that it leads to, or the first of them.
        public var objects: [BrowsedReference]
        /// Whether there are more.
        public var hasMore: Bool

        init(_ relationship: StoredEntity.Relationship, _ objects: [BrowsedReference], hasMore: Bool) {
            name = relationship.name
            destination = relationship.destination
            isToMany = relationship.isToMany
            isOptional = relationship.isOptional
            isOrdered = relationship.isOrdered
            self.objects = objects
            self.hasMore = hasMore
        }
    }

    /// The entity of the object itself.
    public var entity: String
    public var number: Int64
    /// The row's version, which each change counts on.
    public var version: Int64
    public var label: String?
    public var attributes: [Attribute]
    public var relationships: [Relationship]
}

extension StoreBrowser {
    /// The number of objects of a relationship that the page of an object lists.
    static let relatedLimit = 20

    /// An object.
    ///
    /// - Parameter entity: The object's entity, or one above it.
    /// - Throws: ``BrowsingError``.
    public func object(_ entity: String, _ number: Int64) throws(BrowsingError) -> BrowsedObject {
        try readObjects(doing: "reading the object \(number) of \(entity)") { connection in
            guard let version = try version(connection) else {
                throw BrowsingError(.missing, "There is no model to show objects by.")
            }
            return try Self.object(entity, number, version, connection)
        }
    }

    static func object(
        _ name: String, _ number: Int64, _ version: BrowsedVersion, _ connection: Connection
    ) throws -> BrowsedObject {
        _ = try version.entity(name)
        let entity = try self.entity(ofRow: number, name, version, connection)
        let attributes = version.attributes(of: entity)
        let relationships = version.relationships(of: entity)
        var selected = ["\"row\".\"version$\""]
        for attribute in attributes {
            selected += shown(RowSource.column(attribute.column), BrowsedValue.wholeLength)
        }
        for case .column(let column) in relationships.map(\.storage) { selected.append(RowSource.column(column)) }
        // A statement has no more than two thousand columns.
        var values: [SQLiteValue] = []
        for start in stride(from: 0, to: selected.count, by: 1000) {
            let part = selected[start..<min(start + 1000, selected.count)].joined(separator: ", ")
            let rows = try connection.rows(
                "SELECT \(part) FROM main.\(SQLQuotation.identifier(version.table(of: entity))) AS \"row\" "
                    + "WHERE \"row\".\"id$\" = ?1", [.integer(number)])
            guard let row = rows.first else { throw missing(name, number) }
            values += row
        }
        var labels = LabelReader(version, connection)
        var object = BrowsedObject(
            entity: entity, number: number, version: count(values[0]).map(Int64.init) ?? 0,
            label: try labels.reference(to: entity, number).label, attributes: [], relationships: [])
        for (index, attribute) in attributes.enumerated() {
            let (stored, length) = (values[1 + 2 * index], count(values[2 + 2 * index]))
            let value = BrowsedValue(stored, length: length, type: attribute.type)
            let editing = EditedValue(attribute, stored, isWhole: length == nil)
            object.attributes.append(
                BrowsedObject.Attribute(
                    attribute, value, editing, try field(attribute, of: entity, version, connection)))
        }
        var next = 1 + 2 * attributes.count
        for relationship in relationships {
            var numbers: [Int64] = []
            if case .column = relationship.storage {
                if case .integer(let number) = values[next] { numbers.append(number) }
                next += 1
            } else {
                numbers = try self.numbers(relationship, of: number, version, connection)
            }
            let shown = numbers.prefix(relatedLimit)
            object.relationships.append(
                BrowsedObject.Relationship(
                    relationship, try shown.map { try labels.reference(to: relationship.destination, $0) },
                    hasMore: numbers.count > shown.count))
        }
        return object
    }

    /// The field of an attribute, with the raw values that the store has.
    static func field(
        _ attribute: StoredEntity.Attribute, of entity: String, _ version: BrowsedVersion, _ connection: Connection
    ) throws -> EditedField {
        var field = EditedField(attribute, version.modelled(attribute, of: entity))
        try field.readRawValues(attribute, of: entity, version, connection)
        return field
    }

    /// The entity of a row, which may be one below that which it is asked for by.
    static func entity(
        ofRow number: Int64, _ name: String, _ version: BrowsedVersion, _ connection: Connection
    ) throws -> String {
        let table = SQLQuotation.identifier(version.table(of: name))
        guard version.hasDiscriminator(name) else {
            let rows = try connection.rows("SELECT 1 FROM main.\(table) WHERE \"id$\" = ?1", [.integer(number)])
            if rows.isEmpty { throw missing(name, number) }
            return name
        }
        let rows = try connection.rows(
            "SELECT \"entity$\" FROM main.\(table) WHERE \"id$\" = ?1", [.integer(number)])
        guard let row = rows.first else { throw missing(name, number) }
        guard case .text(let own) = row[0], version.hierarchy(name).contains(where: { $0.name == own }) else {
            if row[0] == .null { return name }
            throw missing(name, number)
        }
        return own
    }

    private static func missing(_ entity: String, _ number: Int64) -> BrowsingError {
        BrowsingError(.missing, "There is no object \(number) of \(entity).")
    }

    /// The objects that a relationship leads to whose references are not in the object's own row, one more than are listed.
    static func numbers(
        _ relationship: StoredEntity.Relationship, of number: Int64, _ version: BrowsedVersion,
        _ connection: Connection, limit: Int = relatedLimit + 1
    ) throws -> [Int64] {
        let (table, own, other, order): (String, String, String, String?)
        switch relationship.storage {
        case .column: return []
        case .inverseColumn(let column, let position):
            (table, own, other, order) = (version.table(of: relationship.destination), column, "id$", position)
        case .joinTable(let name, let source, let target, let position):
            (table, own, other, order) = (name, source, target, position)
        }
        let orders = ([order].compactMap { $0 } + [other]).map(SQLQuotation.identifier).joined(separator: ", ")
        return try connection.rows(
            "SELECT \(SQLQuotation.identifier(other)) FROM main.\(SQLQuotation.identifier(table)) "
                + "WHERE \(SQLQuotation.identifier(own)) = ?1 ORDER BY \(orders) LIMIT \(limit)",
            [.integer(number)]
        ).compactMap { if case .integer(let number) = $0[0] { number } else { nil } }
    }
}
