import AshlarSQLite

/// Estimates the number of rows that an R-tree's search finds, from the nodes at its top.
struct RTreeEstimator {
    /// An estimated number of rows.
    struct Estimate {
        var least: Double
        var likely: Double
        var greatest: Double
    }

    private let limits: [CoordinateLimits]
    private let connection: Connection
    private let statement: Statement
    private let rootStatement: Statement
    /// The root node; nil if there is no valid one.
    let root: RTreeNode?

    /// Reads the root. The statement that read it stays open, and with it the transaction. Otherwise each further
    /// statement would have its own, which costs as much as reading a node. ``end()`` ends it.
    init(_ search: BoxSearch, _ connection: Connection) throws(SQLiteError) {
        limits = search.bounds.map(CoordinateLimits.init)
        self.connection = connection
        let nodes = (search.index.storeName + "_node").quotedIdentifier
        statement = try connection.statement("SELECT \"data\" FROM \(nodes) WHERE \"nodeno\" = ?1")
        rootStatement = try connection.statement("SELECT \"data\" FROM \(nodes) WHERE \"nodeno\" = 1")
        do throws(SQLiteError) {
            root = try rootStatement.step() ? Self.node(rootStatement, limits) : nil
        } catch {
            rootStatement.reset()
            throw error
        }
    }

    /// Ends the reading.
    func end() { rootStatement.reset() }

    /// Reads one level of nodes after the other, until the estimate is good enough or a level exceeds the limit of
    /// nodes.
    func estimate(
        cellsPerNode: Double, isEnough: (Estimate) -> Bool, nodeLimit: (Estimate) -> Int
    ) throws(SQLiteError) -> Estimate {
        guard let root else { return Estimate(least: 0, likely: 0, greatest: 0) }
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
        return try statement.step() ? Self.node(statement, limits) : nil
    }

    private static func node(_ statement: Statement, _ limits: [CoordinateLimits]) -> RTreeNode? {
        RTreeNode(statement.bytes(0), limits)
    }
}
