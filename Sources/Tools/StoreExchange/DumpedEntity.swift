import SQLQuoting
import StoreDescription

/// The conversion of an entity's objects into text, prepared once for all of them.
struct DumpedEntity {
    let name: String
    /// The text before the number of a JSON object.
    let jsonHead: [UInt8]
    /// The fields of a JSON object, in their order; a composite is one.
    let jsonFields: [DumpedField]
    /// The fields of a line, nil for those that other entities have.
    let lineFields: [DumpedField?]
    let pairs: [DumpedPairs]

    /// Makes a description.
    ///
    /// - Parameters:
    ///   - own: The entity's fields.
    ///   - all: Those of all entities of the table.
    ///   - places: The places of columns among those that are selected.
    init(
        _ name: String, _ own: [ExchangedVersion.Field], _ all: [ExchangedVersion.Field], _ places: [String: Int32],
        _ dump: StoreDump
    ) {
        self.name = name
        var head = TextBytes()
        head.write("{")
        head.write(json: ExchangedVersion.entityKey)
        head.write(": ")
        head.write(json: name)
        head.write(", ")
        head.write(json: ExchangedVersion.numberKey)
        head.write(": ")
        jsonHead = head.bytes
        var fields: [DumpedField] = []
        var composites: [String: Int] = [:]
        for field in own {
            guard case .value(let path, let attribute) = field, path.count > 1 || attribute.type == nil else {
                fields.append(DumpedField(field, places, dump))
                continue
            }
            let leaf = DumpedField.Leaf(
                path: path, attribute: attribute, column: DumpedField.place(of: attribute.column, places))
            if let known = composites[path[0]] {
                fields[known].add(leaf)
            } else {
                composites[path[0]] = fields.count
                fields.append(DumpedField(path[0], .composite([leaf])))
            }
        }
        jsonFields = fields
        let keys = Set(own.map(\.key))
        lineFields = all.map { keys.contains($0.key) ? DumpedField($0, places, dump) : nil }
        pairs = own.compactMap { DumpedPairs($0) }
    }
}

/// A field of an object, with the places of its columns among those that are selected.
struct DumpedField {
    /// A value within a composite, or the flag that shows whether the composite is present.
    struct Leaf {
        var path: [String]
        var attribute: StoredEntity.Attribute
        var column: Int32
    }

    enum Content {
        case value(Int32, ColumnLine.AttributeType?)
        case composite([Leaf])
        /// A reference by number, or by an attribute in its place; perhaps with a position.
        case one(Int32, destination: String, isByNumber: Bool, order: Int32?)
        case many(DumpedPairs, destination: String, isByNumber: Bool)
    }

    let name: String
    private(set) var content: Content
    /// The texts before the value and before the position in a JSON object.
    let jsonKey: [UInt8]
    let jsonOrderKey: [UInt8]

    init(_ name: String, _ content: Content) {
        self.name = name
        self.content = content
        jsonKey = Self.key(name)
        jsonOrderKey = Self.key(name + ExchangedVersion.orderSuffix)
    }

    init(_ field: ExchangedVersion.Field, _ places: [String: Int32], _ dump: StoreDump) {
        let content: Content
        switch field {
        case .value(_, let attribute): content = .value(Self.place(of: attribute.column, places), attribute.type)
        case .one(let relationship, let column, let order):
            content = .one(
                Self.place(of: column, places), destination: relationship.destination,
                isByNumber: dump.keys.attribute(for: relationship.destination, dump.version) == nil,
                order: order.map { Self.place(of: $0, places) })
        case .many(let relationship, let table, let own, let other, let order):
            content = .many(
                DumpedPairs(table: table, own: own, other: other, order: order),
                destination: relationship.destination,
                isByNumber: dump.keys.attribute(for: relationship.destination, dump.version) == nil)
        case .inverse: preconditionFailure("Such a field is read alone.")
        }
        self.init(field.name, content)
    }

    mutating func add(_ leaf: Leaf) {
        guard case .composite(let leaves) = content else { return }
        content = .composite(leaves + [leaf])
    }

    private static func key(_ name: String) -> [UInt8] {
        var text = TextBytes()
        text.write(", ")
        text.write(json: name)
        text.write(": ")
        return text.bytes
    }

    /// All columns of all fields are selected.
    static func place(of column: String, _ places: [String: Int32]) -> Int32 {
        guard let place = places[column] else { preconditionFailure("The column \(column) is not selected.") }
        return place
    }
}

/// A table of pairs, seen from one side.
struct DumpedPairs {
    let table: String
    let own: String
    let other: String
    let order: String?
    /// The query for the objects on the other side of a number, in their order.
    let query: String
    /// The texts before and after the values in a statement that inserts a pair.
    let statementHead: String
    let statementTail: String
    /// The beginning of the text after the values.
    let conflict: String

    init(table: String, own: String, other: String, order: String?) {
        (self.table, self.own, self.other, self.order) = (table, own, other, order)
        let columns = (order.map { [$0] } ?? []) + [other]
        query =
            "SELECT \(SQLQuotation.identifier(other)) FROM main.\(SQLQuotation.identifier(table)) "
            + "WHERE \(SQLQuotation.identifier(own)) = ?1 ORDER BY "
            + columns.map(SQLQuotation.identifier).joined(separator: ", ")
        let inserted = ([own, other] + (order.map { [$0] } ?? [])).map(SQLQuotation.identifier)
        statementHead =
            "INSERT INTO \(SQLQuotation.identifier(table)) (\(inserted.joined(separator: ", "))) VALUES ("
        // The other side may have written the pair before, without this side's order.
        let action = order.map(SQLQuotation.identifier).map { "UPDATE SET \($0) = excluded.\($0)" } ?? "NOTHING"
        conflict = ") ON CONFLICT (\(inserted.prefix(2).joined(separator: ", ")))"
        statementTail = "\(conflict) DO \(action);\n"
    }

    /// Nil for a field that is not a to-many relationship.
    init?(_ field: ExchangedVersion.Field) {
        guard case .many(_, let table, let own, let other, let order) = field else { return nil }
        self.init(table: table, own: own, other: other, order: order)
    }
}
