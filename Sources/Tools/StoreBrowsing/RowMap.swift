import AshlarSQLite
import RelationalSchema
import SQLQuoting

/// The positions of an entity's objects, from an R-tree index of two coordinates.
@_spi(Studio) public struct RowMap: Sendable {
    public struct Point: Hashable, Sendable {
        public var number: Int64
        public var label: String?
        public var x: Double
        public var y: Double
    }

    /// A part of the plane.
    public struct Box: Hashable, Sendable {
        public var minimumX: Double
        public var maximumX: Double
        public var minimumY: Double
        public var maximumY: Double

        /// Makes a box; nil for one that has no extent.
        public init?(minimumX: Double, maximumX: Double, minimumY: Double, maximumY: Double) {
            let numbers = [minimumX, maximumX, minimumY, maximumY]
            guard numbers.allSatisfy({ $0.isFinite && abs($0) < 1e30 }), minimumX < maximumX, minimumY < maximumY
            else { return nil }
            self.minimumX = minimumX
            self.maximumX = maximumX
            self.minimumY = minimumY
            self.maximumY = maximumY
        }
    }

    /// The names of the coordinates: from left to right, and from below upwards.
    public var names: (x: String, y: String)
    public var box: Box
    public var points: [Point]
    /// Whether the box contains more points than these.
    public var hasMore: Bool

    /// The numbers of points to show and to read. More are read because those that an index returns first are in one
    /// corner.
    static let (limit, lookedAt) = (1000, 20_000)

    /// The index of an entity's coordinates, with the two columns: a longitude goes from left to right.
    static func index(of entity: String, _ version: BrowsedVersion) -> (index: RTree, x: String, y: String)? {
        let names = version.line(entity).map(\.name)
        let table = version.table(of: entity)
        let found = version.schema.rtrees.first { index in
            index.tableName == table && index.columnNames.count == 2
                && (index.entityNames.map { list in names.contains(where: list.contains) } ?? true)
        }
        guard let found else { return nil }
        let columns = found.columnNames
        func isLongitude(_ name: String) -> Bool {
            let name = name.lowercased()
            return ["longitude", "lon", "lng", "x"].contains {
                name == $0 || name.hasSuffix("$" + $0) || name.hasSuffix("." + $0)
            }
        }
        let isTurned = !isLongitude(columns[0]) && isLongitude(columns[1])
        return isTurned ? (found, columns[1], columns[0]) : (found, columns[0], columns[1])
    }
}

extension StoreBrowser {
    /// The objects of an entity in a box, found by its R-tree index; nil for all of them stands for the box around them.
    ///
    /// - Throws: ``BrowsingError``.
    public func map(_ entity: String, _ box: RowMap.Box?) throws(BrowsingError) -> RowMap {
        try readObjects(doing: "reading the places of \(entity)") { connection in
            guard let version = try version(connection), let (index, x, y) = RowMap.index(of: entity, version) else {
                throw BrowsingError(.missing, "\(entity) has no R-tree index of two coordinates.")
            }
            let tree = "main.\(SQLQuotation.identifier(index.name))"
            let columns = [x, y].map {
                (
                    SQLQuotation.qualifiedIdentifier("tree", RTree.minimumColumnName(of: $0)),
                    SQLQuotation.qualifiedIdentifier("tree", RTree.maximumColumnName(of: $0))
                )
            }
            let extent = try box ?? Self.extent(tree, columns, connection)
            guard let extent else {
                let world = RowMap.Box(minimumX: -180, maximumX: 180, minimumY: -90, maximumY: 90)
                guard let world else { throw BrowsingError(.invalid, "The map has no extent.") }
                return RowMap(names: (x, y), box: world, points: [], hasMore: false)
            }
            let rows = try connection.rows(
                """
                SELECT "row"."id$", \(RowSource.column(x)), \(RowSource.column(y))
                FROM \(tree) AS "tree"
                JOIN main.\(SQLQuotation.identifier(index.tableName)) AS "row" ON "row"."id$" = "tree"."id$"
                WHERE \(columns[0].0) <= ?2 AND \(columns[0].1) >= ?1 AND \(columns[1].0) <= ?4 AND \(columns[1].1) >= ?3
                LIMIT \(RowMap.lookedAt)
                """,
                [
                    .real(extent.minimumX), .real(extent.maximumX), .real(extent.minimumY), .real(extent.maximumY),
                ])
            var labels = LabelReader(version, connection)
            var map = RowMap(names: (x, y), box: extent, points: [], hasMore: rows.count > RowMap.limit)
            let step = (rows.count + RowMap.limit - 1) / RowMap.limit
            for row in stride(from: 0, to: rows.count, by: max(1, step)).map({ rows[$0] }) {
                guard case .integer(let number) = row[0], let x = Self.number(row[1]), let y = Self.number(row[2])
                else { continue }
                map.points.append(
                    RowMap.Point(number: number, label: try labels.reference(to: entity, number).label, x: x, y: y))
            }
            return map
        }
    }

    /// The box around the first thousands, with a rim, so that no point is at its border. The index would have to be read as
    /// a whole to know all.
    private static func extent(
        _ tree: String, _ columns: [(String, String)], _ connection: Connection
    ) throws -> RowMap.Box? {
        let list = columns.flatMap { [$0.0, $0.1] }.joined(separator: ", ")
        var bounds = [Double.infinity, -.infinity, .infinity, -.infinity]
        for row in try connection.rows("SELECT \(list) FROM \(tree) AS \"tree\" LIMIT 5000") {
            for (place, value) in row.enumerated() {
                guard let value = number(value) else { continue }
                bounds[place] = place.isMultiple(of: 2) ? min(bounds[place], value) : max(bounds[place], value)
            }
        }
        guard bounds.allSatisfy(\.isFinite) else { return nil }
        let rim = (max((bounds[1] - bounds[0]) * 0.05, 0.01), max((bounds[3] - bounds[2]) * 0.05, 0.01))
        return RowMap.Box(
            minimumX: bounds[0] - rim.0, maximumX: bounds[1] + rim.0, minimumY: bounds[2] - rim.1,
            maximumY: bounds[3] + rim.1)
    }

    private static func number(_ value: SQLiteValue) -> Double? {
        switch value {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }
}
