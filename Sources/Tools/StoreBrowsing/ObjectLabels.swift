import AshlarSQLite
import SQLQuoting
import StoreDescription

/// Reads the labels of objects that others refer to.
struct LabelReader {
    private let version: BrowsedVersion?
    private let connection: Connection
    private var known: [BrowsedReference: BrowsedReference] = [:]

    /// The number of characters of a label.
    static let length = 60

    init(_ version: BrowsedVersion?, _ connection: Connection) {
        self.version = version
        self.connection = connection
    }

    /// The reference to an object.
    mutating func reference(to entity: String, _ number: Int64) throws -> BrowsedReference {
        var reference = BrowsedReference(entity: entity, number: number)
        if let found = known[reference] { return found }
        defer { known[BrowsedReference(entity: entity, number: number)] = reference }
        guard let version, let label = version.label(of: entity) else { return reference }
        let column = SQLQuotation.identifier(label.column)
        let rows = try connection.rows(
            "SELECT \(Self.cut(column)) FROM main.\(SQLQuotation.identifier(version.table(of: entity))) "
                + "WHERE \"id$\" = ?1", [.integer(number)])
        reference.label = rows.first.flatMap { Self.text($0[0], label) }
        return reference
    }

    /// A column whose texts are cut to the length of a label.
    static func cut(_ column: String) -> String {
        "CASE WHEN typeof(\(column)) = 'text' THEN substr(\(column), 1, \(length)) ELSE \(column) END"
    }

    /// The label of a value; nil for NULL and for an empty text.
    static func text(_ value: SQLiteValue, _ label: StoredEntity.Attribute) -> String? {
        let text = BrowsedValue(value, length: nil, type: label.type).text
        return text.isEmpty ? nil : text
    }
}

extension StoreBrowser {
    /// References to objects of an entity, with their labels.
    ///
    /// - Throws: ``BrowsingError``.
    public func references(to entity: String, _ numbers: [Int64]) throws(BrowsingError) -> [BrowsedReference] {
        try readObjects(doing: "reading the names of objects") { connection in
            var labels = LabelReader(try version(connection), connection)
            return try numbers.map { try labels.reference(to: entity, $0) }
        }
    }

    /// The number of objects that a search offers.
    public static let choiceLimit = 20

    /// The objects of an entity whose labels contain a text or that have it as their number, by label, at most
    /// ``choiceLimit``.
    ///
    /// - Throws: ``BrowsingError``.
    public func choices(of entity: String, matching text: String) throws(BrowsingError) -> [BrowsedReference] {
        try readObjects(doing: "searching for objects of \(entity)") { connection in
            guard let version = try version(connection) else {
                throw BrowsingError(.missing, "There is no model to show objects by.")
            }
            var source = try RowSource(entity, version)
            let label = version.label(of: entity)
            let column = RowSource.column(label?.column ?? "id$")
            source.search(text, [column])
            // Without a text to search for, sorting would read all rows of a table.
            let order = source.condition == nil ? [] : [column]
            let rows = try connection.rows(
                "SELECT \(RowSource.column("id$")), \(LabelReader.cut(column)) FROM \(source.text)"
                    + (source.condition.map { " WHERE \($0)" } ?? "")
                    + " ORDER BY \((order + source.keys).joined(separator: ", ")) LIMIT \(Self.choiceLimit)",
                source.values)
            return rows.compactMap { row in
                guard case .integer(let number) = row[0] else { return nil }
                return BrowsedReference(
                    entity: entity, number: number, label: label.flatMap { LabelReader.text(row[1], $0) })
            }
        }
    }
}
