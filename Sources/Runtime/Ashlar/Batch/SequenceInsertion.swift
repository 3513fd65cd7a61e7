/// Inserts the rows of an asynchronous sequence, which are gathered before they are written.
///
/// `@unchecked Sendable`: the task that walks the sequence uses it, and what writes a chunk while that task waits for it.
final class SequenceInsertion<Row: EntityValues>: @unchecked Sendable {
    /// Rows in pieces, so that none is moved when more come.
    private var rows: [ContiguousArray<Row>] = []
    private var rowCount = 0
    private var hasWritten = false
    private let container: ModelContainer
    private let insertion: BatchInsertion
    private let author: String?

    private static var pieceSize: Int { 1024 }

    init(
        _ container: ModelContainer, _ policy: BatchConflictPolicy, _ options: BatchOptions, _ author: String?
    ) throws {
        self.container = container
        self.author = author
        insertion = try BatchInsertion(Row._AshlarModel._ashlarEntity, container, policy, options)
    }

    /// Keeps a row; true when a chunk is full.
    func add(_ row: Row) -> Bool {
        if rowCount.isMultiple(of: Self.pieceSize) {
            rows.append([])
            rows[rows.count - 1].reserveCapacity(min(Self.pieceSize, insertion.options.chunkSize ?? Self.pieceSize))
        }
        rows[rows.count - 1].append(row)
        rowCount += 1
        return rowCount == insertion.options.chunkSize
    }

    /// Writes the rows that came in one transaction, off the caller's thread, and gives what was done so far.
    @discardableResult
    func write(isLast: Bool) async throws -> BatchResult {
        // An operation without rows is one all the same, which finds out whether it is allowed.
        if isLast, rowCount == 0, hasWritten { return insertion.result }
        try await container.reading { [self] context in
            context.author = author
            var iterator = rows.joined().makeIterator()
            _ = try context.insertRows(by: insertion) { try $0.insertChunk(of: &iterator) }
        }
        hasWritten = true
        rows = []
        rowCount = 0
        return insertion.result
    }

    /// An error that ends the sequence, as it is where nothing is written yet.
    func error(_ error: any Error) -> any Error {
        insertion.result.count > 0 ? BatchError.incomplete(rows: insertion.result.count, error) : error
    }
}
