/// Inserts the rows of an asynchronous sequence, which are collected before they are written.
///
/// `@unchecked Sendable`: the task that iterates over the sequence uses it, and while that task waits, the task that
/// writes a chunk.
final class SequenceInsertion<Row: EntityValues>: @unchecked Sendable {
    /// The rows, in pieces, so that no row is moved when more arrive.
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

    /// Adds a row. Returns true if a chunk is full.
    func add(_ row: Row) -> Bool {
        if rowCount.isMultiple(of: Self.pieceSize) {
            rows.append([])
            rows[rows.count - 1].reserveCapacity(min(Self.pieceSize, insertion.options.chunkSize ?? Self.pieceSize))
        }
        rows[rows.count - 1].append(row)
        rowCount += 1
        return rowCount == insertion.options.chunkSize
    }

    /// Writes the collected rows in one transaction, off the caller's thread, and returns the result so far.
    @discardableResult
    func write(isLast: Bool) async throws -> BatchResult {
        // An operation without rows is performed too, because it may be invalid.
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

    /// Returns the error to throw for one that ends the sequence: the same error if nothing is written yet.
    func error(_ error: any Error) -> any Error {
        insertion.result.count > 0 ? BatchError.incomplete(rows: insertion.result.count, error) : error
    }
}
