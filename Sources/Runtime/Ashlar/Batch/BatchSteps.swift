import AshlarSQLite

/// How an update or a deletion is divided: into steps of rows whose rowids follow each other.
struct BatchSteps<Model: PersistentModel> {
    /// The number of rows in a step that only serves to report progress.
    private static var reportDistance: Int { 10_000 }

    let descriptor: FetchDescriptor<Model>
    let options: BatchOptions
    /// Whether each row can be treated by itself, so that steps within one transaction come to the same.
    let isOfSingleRows: Bool
    let time: FetchTime

    init(
        _ descriptor: FetchDescriptor<Model>, _ options: BatchOptions, isOfSingleRows: Bool,
        in container: ModelContainer
    ) {
        time = FetchTime(Model._ashlarEntity, in: container)
        self.descriptor = descriptor
        self.options = options
        self.isOfSingleRows = isOfSingleRows
    }

    /// Whether each step is a transaction.
    var commitsEach: Bool { options.chunkSize != nil }

    /// The most rows of a step; nil where there is one for all.
    var size: Int? {
        options.chunkSize ?? (options.progress != nil && isOfSingleRows ? Self.reportDistance : nil)
    }

    func check() throws(BatchError) {
        guard let size = options.chunkSize else { return }
        if size < 1 { throw .invalidChunkSize(size) }
        if !descriptor.sortOrders.isEmpty && descriptor.limit != nil || descriptor.skipped > 0 {
            throw .orderedChunks(entity: Model._ashlarEntity.name)
        }
    }
}

/// How far an update or a deletion has come.
struct BatchTotal<Model: PersistentModel> {
    private let steps: BatchSteps<Model>
    private(set) var result: BatchResult
    private var rowCount: Int?
    private var last: Int64 = 0
    private var isAtEnd = false
    private var hasBegun = false

    init(_ steps: BatchSteps<Model>) {
        self.steps = steps
        result = BatchResult(count: 0, identifiers: steps.options.resultType == .identifiers ? [] : nil)
    }

    /// Counts the rows, where somebody wants to know how many there are.
    mutating func begin(_ connection: Connection) throws {
        if hasBegun { return }
        hasBegun = true
        guard steps.options.progress != nil else { return }
        let sql = try steps.descriptor.batchCount(steps.time)
        let count = Int(try connection.integer(sql.text, sql.values) ?? 0)
        rowCount = steps.descriptor.limit.map { min($0, count) } ?? count
    }

    /// The next rows to treat; nil at the end.
    mutating func next(_ connection: Connection) throws -> BatchRange? {
        if isAtEnd { return nil }
        guard let size = steps.size else {
            isAtEnd = true
            return BatchRange()
        }
        var descriptor = steps.descriptor
        descriptor.fetchLimit = nil
        let wanted = steps.descriptor.limit.map { min(size, $0 - result.count) } ?? size
        if wanted < 1 { return nil }
        let sql = try descriptor.batchStep(after: last, limit: wanted, steps.time)
        guard let row = try connection.rows(sql.text, sql.values).first, case .integer(let end) = row[0] else {
            isAtEnd = true
            return nil
        }
        defer { last = end }
        return BatchRange(after: last, through: end)
    }

    mutating func add(_ step: BatchResult) throws {
        result.count += step.count
        result.identifiers? += step.identifiers ?? []
        try steps.options.progress?(BatchProgress(completedRowCount: result.count, totalRowCount: rowCount))
    }
}
