#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Estimates how many rows an R-tree's search finds, from the nodes at its top.
struct RTreeEstimator {
    /// A number of rows that is not known exactly.
    struct Estimate {
        var least: Double
        var likely: Double
        var greatest: Double
    }

    private let search: BoxSearch
    private let connection: Connection
    private let statement: Statement
    private let cellsPerNode: Double

    init(_ search: BoxSearch, cellsPerNode: Double, _ connection: Connection) throws(SQLiteError) {
        self.search = search
        self.connection = connection
        self.cellsPerNode = cellsPerNode
        statement = try connection.statement(
            "SELECT \"data\" FROM \((search.index.storeName + "_node").quotedIdentifier) WHERE \"nodeno\" = ?1")
    }

    /// Reads one level of nodes after the other, until the caller knows enough or a level has more than it wants to read.
    func estimate(isEnough: (Estimate) -> Bool, nodeLimit: (Estimate) -> Int) throws(SQLiteError) -> Estimate {
        guard let root = try node(1) else { return Estimate(least: 0, likely: 0, greatest: 0) }
        var cells = root.cells
        var level = root.depth
        var rowsOfCell = 1.0
        for _ in 0..<level { rowsOfCell *= cellsPerNode }
        var whole = 0.0
        var readCount = 1
        while level > 0 {
            let edges = cells.filter { $0.share < 1 }
            whole += Double(cells.count - edges.count) * rowsOfCell
            let estimate = Estimate(
                least: whole * 0.8, likely: whole + edges.reduce(0) { $0 + $1.share } * rowsOfCell,
                greatest: (whole + Double(edges.count) * rowsOfCell) * 1.25)
            if edges.isEmpty || isEnough(estimate) || readCount + edges.count > nodeLimit(estimate) { return estimate }
            cells = []
            for edge in edges { cells += try node(edge.number)?.cells ?? [] }
            readCount += edges.count
            level -= 1
            rowsOfCell /= cellsPerNode
        }
        let count = whole + Double(cells.count)
        return Estimate(least: whole * 0.8 + Double(cells.count), likely: count, greatest: count + whole * 0.25)
    }

    private func node(_ number: Int64) throws(SQLiteError) -> RTreeNode? {
        statement.bind(number, 1)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let count = Int(sqlite3_column_bytes(statement.handle, 0))
        let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(statement.handle, 0), count: count)
        return RTreeNode(bytes, search)
    }
}
