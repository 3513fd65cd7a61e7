import Ashlar
import AshlarCoreData
import AshlarSQLite
import DataModel
import PredicateFormat
import SQLQuoting
import StoreDescription

/// The rows of a list: the objects of an entity, or the rows of a table without a model.
struct RowSource {
    struct Column {
        var name: String
        /// The column as SQL.
        var sql: String
        var type: ColumnLine.AttributeType?
        /// The entity that the column refers to.
        var destination: String?
    }

    /// The text after `FROM`; the rows have the name `row`.
    var text: String
    var values: [SQLiteValue] = []
    /// The additional condition.
    var condition: String?
    /// All columns, by which the rows can be sorted.
    var columns: [Column]
    /// The columns that a list shows.
    var shown: [Column] = []
    var keys: [String]
    /// The rows of the table, to look up one by its key.
    var table: String
    /// The column with the names of the entities, in a list of several entities.
    var entity: String?
    /// The version of an object's row.
    var version: String?
    var isModelled: Bool

    /// The largest number of columns that a list shows.
    static let columnLimit = 100

    static func column(_ name: String) -> String { SQLQuotation.qualifiedIdentifier("row", name) }

    /// Chooses the columns that a list shows.
    mutating func show(_ names: [String]?) throws(BrowsingError) {
        guard let names else {
            shown = Array(columns.prefix(Self.columnLimit))
            return
        }
        shown = []
        for name in names.prefix(Self.columnLimit) {
            guard let column = columns.first(where: { $0.name == name }) else {
                throw BrowsingError(.invalid, "There is no column '\(name)' to show.")
            }
            shown.append(column)
        }
    }

    // MARK: Of an entity

    /// The objects of a request.
    init(_ entity: String, _ version: BrowsedVersion, _ request: RowRequest) throws {
        try self.init(entity, version, filter: request.filter, owner: request.owner)
        search(request.search, columns.filter { $0.type == .string || $0.type == .uri }.map(\.sql))
        try show(request.columns)
    }

    /// The objects of an entity, and of those below it.
    init(
        _ entity: String, _ version: BrowsedVersion, filter: String = "", owner: RowOwner? = nil
    ) throws {
        _ = try version.entity(entity)
        let table = version.table(of: entity)
        isModelled = true
        keys = [Self.column("id$")]
        columns = [Column(name: "id", sql: Self.column("id$"), type: .integer64)]
        self.version = Self.column("version$")
        var selected = ["id$", "version$"]
        if version.hasDiscriminator(entity) {
            selected.append("entity$")
            self.entity = Self.column("entity$")
        }
        for attribute in version.attributes(of: entity) where attribute.type != nil {
            selected.append(attribute.column)
            columns.append(
                Column(name: attribute.keyPath, sql: Self.column(attribute.column), type: attribute.type))
        }
        for relationship in version.relationships(of: entity) {
            guard case .column(let column) = relationship.storage else { continue }
            selected.append(column)
            columns.append(
                Column(
                    name: relationship.name, sql: Self.column(column), type: nil,
                    destination: relationship.destination))
        }
        self.table = "main.\(SQLQuotation.identifier(table)) AS \"row\""
        let restriction = try owner.map { try Self.restriction($0, version, &selected) }
        var seen: Set<String> = []
        let list = selected.filter { seen.insert($0).inserted }.map {
            "\(SQLQuotation.qualifiedIdentifier(table, $0)) AS \(SQLQuotation.identifier($0))"
        }
        let statement = try Self.template(entity, version, filter).rows(selecting: list.joined(separator: ", "))
        text = "(\(statement.text)) AS \"row\""
        values = statement.values
        if let (restriction, number) = restriction {
            values.append(.integer(number))
            condition = restriction(values.count)
        }
        shown = Array(columns.prefix(Self.columnLimit))
    }

    /// Restricts the rows to those with a text in one of some columns, without regard to case and accents, or with the
    /// number that the text is.
    mutating func search(_ text: String, _ columns: [String]) {
        if text.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return }
        values.append(.text(text))
        // The runtime's function for CONTAINS[cd]; it compares texts only.
        let options = TextOptions.localizedStandard.rawValue
        var parts = columns.map { "ashlar_contains(CAST(\($0) AS TEXT), ?\(values.count), \(options))" }
        if let number = Int64(text) {
            values.append(.integer(number))
            parts += keys.map { "\($0) = ?\(values.count)" }
        }
        let found = parts.isEmpty ? "0" : parts.joined(separator: " OR ")
        condition = [condition.map { "(\($0))" }, "(\(found))"].compactMap { $0 }.joined(separator: " AND ")
    }

    /// The condition that a row belongs to the objects that a relationship of an object leads to.
    private static func restriction(
        _ owner: RowOwner, _ version: BrowsedVersion, _ selected: inout [String]
    ) throws -> ((Int) -> String, Int64) {
        let relationship = try version.relationship(owner.relationship, of: owner.entity)
        switch relationship.storage {
        case .inverseColumn(let column, _):
            selected.append(column)
            return ({ "\(Self.column(column)) = ?\($0)" }, owner.number)
        case .joinTable(let table, let own, let other, _):
            return (
                {
                    "\(Self.column("id$")) IN (SELECT \(SQLQuotation.identifier(other)) FROM "
                        + "main.\(SQLQuotation.identifier(table)) WHERE \(SQLQuotation.identifier(own)) = ?\($0))"
                }, owner.number
            )
        case .column:
            throw BrowsingError(.invalid, "\(owner.entity).\(owner.relationship) has at most one object, and no list.")
        }
    }

    /// A fetch of objects that a format describes, as the runtime prints it.
    static func template(
        _ entity: String, _ version: BrowsedVersion, _ filter: String, limit: Int? = nil
    ) throws -> FetchTemplate {
        guard let described = version.model.entity(named: entity) else {
            throw BrowsingError(.missing, "The model has no entity \(entity).")
        }
        let root = try condition(filter, of: entity, version)
        return FetchTemplate(
            model: version.model, entity: described, condition: root, limit: limit, includesSubentities: true)
    }

    private static func condition(
        _ filter: String, of entity: String, _ version: BrowsedVersion
    ) throws(BrowsingError) -> ResolvedPredicate? {
        if filter.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return nil }
        let request = FetchRequest(name: "filter", entityName: entity, predicate: filter)
        let resolution = version.schema.graph.predicate(of: request)
        if let error = resolution?.errors.first { throw BrowsingError(.invalid, "The filter, character \(error)") }
        guard let resolution, let root = resolution.root, resolution.variableNames.isEmpty,
            resolution.arguments.isEmpty
        else {
            throw BrowsingError(
                .invalid, "The filter has no values for variables and placeholders: write them in the text.")
        }
        return root
    }

    // MARK: Of a table

    /// The rows of a table, without a model.
    init(table name: String, _ connection: Connection) throws {
        let schema = try connection.schema()
        guard let found = try schema.table(name), found.kind != .view else {
            throw BrowsingError(.missing, "There is no table \(name).")
        }
        let listed = try schema.columns(of: name).filter { $0.kind != .hidden }
        let names = listed.map(\.name)
        isModelled = false
        table = "main.\(SQLQuotation.identifier(name)) AS \"row\""
        text = table
        columns = names.map { Column(name: $0, sql: Self.column($0)) }
        if found.isWithoutRowID {
            keys = listed.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
                .map { Self.column($0.name) }
        } else {
            let lowercased = Set(names.map { $0.lowercased() })
            guard let rowid = ["rowid", "_rowid_", "oid"].first(where: { !lowercased.contains($0) }) else {
                throw BrowsingError(
                    .invalid,
                    "The rows of \(name) cannot be shown, because its columns use all names of the row number.")
            }
            keys = [Self.column(rowid)]
            columns.insert(Column(name: rowid, sql: Self.column(rowid), type: nil), at: 0)
        }
        if keys.isEmpty { throw BrowsingError(.invalid, "The table \(name) has no key.") }
    }

    /// The order by a column, and the key after it.
    func order(by name: String?, isDescending: Bool) throws(BrowsingError) -> RowOrder {
        let keyTerms = keys.map { RowOrder.Term(column: $0, isAscending: !isDescending) }
        var order = RowOrder(terms: keyTerms, keyCount: keys.count, table: table)
        guard let name else { return order }
        guard let column = columns.first(where: { $0.name == name }) else {
            throw BrowsingError(.invalid, "There is no column \(name) to order by.")
        }
        if keys != [column.sql] {
            order.terms.insert(RowOrder.Term(column: column.sql, isAscending: !isDescending), at: 0)
        }
        return order
    }
}

/// An object and the relationship whose objects are shown.
@_spi(Studio) public struct RowOwner: Hashable, Sendable {
    public var entity: String
    public var number: Int64
    public var relationship: String

    public init(entity: String, number: Int64, relationship: String) {
        self.entity = entity
        self.number = number
        self.relationship = relationship
    }
}

extension BrowsedVersion {
    func relationship(_ name: String, of entity: String) throws(BrowsingError) -> StoredEntity.Relationship {
        if let found = relationships(of: entity).first(where: { $0.name == name }) { return found }
        throw BrowsingError(.missing, "\(entity) has no relationship \(name).")
    }
}
