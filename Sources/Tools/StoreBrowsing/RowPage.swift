import Ashlar
import AshlarSQLite
import SQLQuoting

/// The requested part of a list of rows.
@_spi(Studio) public struct RowRequest: Hashable, Sendable {
    /// The owner of the rows.
    public enum Subject: Hashable, Sendable {
        /// The objects of an entity, and of those below it.
        case entity(String)
        /// The rows of a table as they are stored.
        case table(String)

        /// The name of the entity or table.
        public var name: String {
            switch self {
            case .entity(let name), .table(let name): name
            }
        }
    }

    public var subject: Subject
    /// The column to order by; nil for the key.
    public var sort: String?
    public var isDescending = false
    /// A condition in the language of Core Data's predicate formats; empty for all. Only of an entity.
    public var filter = ""
    /// A text that one of the text attributes contains, or the number of an object; empty for all. Only of an entity.
    public var search = ""
    /// The names of the columns to show, in their order; nil for all.
    public var columns: [String]?
    /// The object whose relationship leads to the rows; nil for all.
    public var owner: RowOwner?
    /// The row after which the page begins, from ``RowPage``; nil for the first page.
    public var position: String?
    /// Whether the page ends before that row.
    public var isBackward = false
    /// The largest number of rows of a page.
    public var limit = 50

    public init(_ subject: Subject) { self.subject = subject }
}

/// Some rows of a list.
@_spi(Studio) public struct RowPage: Sendable {
    public struct Column: Hashable, Sendable {
        public var name: String
        /// The type of its content, in a word; empty if it is unknown.
        public var type: String
        /// The entity that it refers to.
        public var destination: String?
    }

    public struct Row: Hashable, Sendable {
        /// The number of the object; nil for a row of a table.
        public var number: Int64?
        /// The entity of the object; nil for a row of a table.
        public var entity: String?
        /// The version of the object's row; nil for a row of a table.
        public var version: Int64?
        /// In the order of the columns.
        public var values: [BrowsedValue]
    }

    public var columns: [Column]
    /// The names of all columns to choose from.
    public var allColumns: [String]
    /// The number of columns that are left out because there are too many.
    public var hiddenColumnCount: Int
    public var rows: [Row]
    /// The position that the page before ends at; nil where there is none.
    public var previous: String?
    /// The position that the next page begins behind; nil where there is none.
    public var next: String?
    /// Whether there are rows before or behind, but their key is too long to be in an address.
    public var isCutShort = false
}

extension StoreBrowser {
    /// The rows of a page.
    ///
    /// It takes as long as the rows of the page take to find, wherever the page is; no row before it is read, and none
    /// counted.
    ///
    /// - Throws: ``BrowsingError``.
    public func rows(_ request: RowRequest) throws(BrowsingError) -> RowPage {
        let action = "reading rows of \(request.subject.name)"
        // Tables are those of the file.
        if case .table = request.subject {
            return try read(doing: action) { try rows(request, version($0), $0) }
        }
        return try readObjects(doing: action) { try rows(request, version($0), $0) }
    }

    /// The number of rows of a whole list, counted up to ten thousand; nil if counting takes too long.
    ///
    /// - Throws: ``BrowsingError``.
    public func total(_ request: RowRequest) throws(BrowsingError) -> StoreOverview.Count? {
        let action = "counting rows of \(request.subject.name)"
        if case .table = request.subject {
            return try read(doing: action) { try total(request, version($0), $0) }
        }
        return try readObjects(doing: action) { try total(request, version($0), $0) }
    }

    private func total(
        _ request: RowRequest, _ version: BrowsedVersion?, _ connection: Connection
    ) throws -> StoreOverview.Count? {
        let source = try self.source(request, version, connection)
        let condition = source.condition.map { " WHERE \($0)" } ?? ""
        var count: Int?
        let isFinished = try StepLimit.run(Self.countingStepLimit, connection) {
            let rows = try connection.rows(
                "SELECT count(*) FROM (SELECT 1 FROM \(source.text)\(condition) LIMIT \(Self.countedTotal + 1))",
                source.values)
            count = rows.first.flatMap { Self.count($0[0]) }
        }
        guard isFinished, let count else { return nil }
        return count > Self.countedTotal ? .atLeast(Int64(Self.countedTotal)) : .exactly(Int64(count))
    }

    private static var countedTotal: Int { 10_000 }
    /// The steps of SQLite's machine that counting a list may take, which are some hundredths of a second.
    private static var countingStepLimit: Int { 2_000_000 }

    func rows(_ request: RowRequest, _ version: BrowsedVersion?, _ connection: Connection) throws -> RowPage {
        let source = try self.source(request, version, connection)
        var order = try source.order(by: request.sort, isDescending: request.isDescending)
        if request.isBackward { order = order.reversed }
        var position: RowPosition?
        if let text = request.position {
            guard let found = RowPosition(text, of: order) else {
                throw BrowsingError(.invalid, "The place in the list is not valid. Begin with the first page.")
            }
            try Self.requireRow(of: found, order, connection)
            position = found
        }
        let limit = max(1, min(request.limit, 500))
        let found = try Self.rows(source, order, behind: position, limit + 1, connection)
        let shown = request.isBackward ? found.prefix(limit).reversed() : Array(found.prefix(limit))
        var labels = LabelReader(version, connection)
        var page = RowPage(
            columns: source.shown.map {
                RowPage.Column(name: $0.name, type: $0.type?.rawValue ?? "", destination: $0.destination)
            }, allColumns: source.columns.map(\.name),
            hiddenColumnCount: request.columns == nil ? source.columns.count - source.shown.count : 0, rows: [])
        for row in shown {
            page.rows.append(try Self.row(row, source, request, &labels))
        }
        let hasMore = found.count > limit
        func text(_ row: [SQLiteValue]?) -> String? {
            guard let row else { return nil }
            let text = RowPosition(Array(row.prefix(order.terms.count)), keyCount: order.keyCount)?.text
            if text == nil { page.isCutShort = true }
            return text
        }
        if request.isBackward ? hasMore : position != nil { page.previous = text(shown.first) }
        if request.isBackward ? position != nil : hasMore { page.next = text(shown.last) }
        return page
    }

    private func source(
        _ request: RowRequest, _ version: BrowsedVersion?, _ connection: Connection
    ) throws -> RowSource {
        switch request.subject {
        case .entity(let name):
            guard let version else { throw BrowsingError(.missing, "There is no model to show entities by.") }
            return try RowSource(name, version, request)
        case .table(let name):
            if !request.filter.isEmpty || !request.search.isEmpty {
                throw BrowsingError(.invalid, "Rows of a table cannot be filtered. Query them on the page for SQL.")
            }
            var source = try RowSource(table: name, connection)
            try source.show(request.columns)
            return source
        }
    }

    /// Throws where values are to be looked up in a row that is gone.
    private static func requireRow(
        of position: RowPosition, _ order: RowOrder, _ connection: Connection
    ) throws {
        guard position.values.contains(.stored) else { return }
        let keys = order.terms.suffix(order.keyCount).map(\.column)
        let condition = keys.enumerated().map { "\($1) IS ?\($0 + 1)" }.joined(separator: " AND ")
        let rows = try connection.rows(
            "SELECT 1 FROM \(order.table) WHERE \(condition)", position.values.suffix(order.keyCount).map(\.known))
        if rows.isEmpty {
            throw BrowsingError(.missing, "The row before this page was deleted. Begin with the first page.")
        }
    }

    /// The rows as they are read: the values of the order, then the version and the entity, then each column with its length.
    private static func rows(
        _ source: RowSource, _ order: RowOrder, behind position: RowPosition?, _ limit: Int, _ connection: Connection
    ) throws -> [[SQLiteValue]] {
        guard let position else { return try rows(source, order, nil, limit, connection) }
        var rows: [[SQLiteValue]] = []
        for part in order.parts(behind: position, parametersFrom: source.values.count + 1) where rows.count < limit {
            rows += try self.rows(source, order, part, limit - rows.count, connection)
        }
        return rows
    }

    private static func rows(
        _ source: RowSource, _ order: RowOrder, _ part: RowOrder.Part?, _ limit: Int, _ connection: Connection
    ) throws -> [[SQLiteValue]] {
        try connection.rows(
            statement(source, order, part, limit), source.values + (part?.values ?? []))
    }

    /// The statement for the rows of a part, or of all.
    static func statement(_ source: RowSource, _ order: RowOrder, _ part: RowOrder.Part?, _ limit: Int) -> String {
        var selected = order.terms.map(\.column) + [source.version ?? "NULL", source.entity ?? "NULL"]
        for column in source.shown {
            selected += shown(column.sql, BrowsedValue.shownLength)
        }
        var text = "SELECT \(selected.joined(separator: ", ")) FROM \(source.text)"
        let conditions = [source.condition, part?.condition].compactMap { $0 }
        if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
        return text + " ORDER BY \(order.text) LIMIT \(limit)"
    }

    /// A column as SQL, cut where it is long, and its length then.
    static func shown(_ column: String, _ length: Int) -> [String] {
        let isLong = "typeof(\(column)) IN ('text', 'blob') AND length(\(column)) > \(length)"
        return [
            "CASE WHEN \(isLong) THEN substr(\(column), 1, \(length)) ELSE \(column) END",
            "CASE WHEN \(isLong) THEN length(\(column)) END",
        ]
    }

    private static func row(
        _ values: [SQLiteValue], _ source: RowSource, _ request: RowRequest, _ labels: inout LabelReader
    ) throws -> RowPage.Row {
        let first = values.count - 2 * source.shown.count
        var row = RowPage.Row(values: [])
        if case .entity(let name) = request.subject {
            row.entity = name
            if source.entity != nil, case .text(let own) = values[first - 1] { row.entity = own }
            if case .integer(let version) = values[first - 2] { row.version = version }
            if case .integer(let number) = values[first - 3] { row.number = number }
        }
        for (index, column) in source.shown.enumerated() {
            let (value, length) = (values[first + 2 * index], values[first + 2 * index + 1])
            if let destination = column.destination, case .integer(let number) = value {
                row.values.append(.reference(try labels.reference(to: destination, number)))
                continue
            }
            row.values.append(
                BrowsedValue(value, length: Self.count(length), type: column.type, isModelled: source.isModelled))
        }
        return row
    }

    static func count(_ value: SQLiteValue) -> Int? {
        if case .integer(let count) = value { Int(count) } else { nil }
    }
}
