import AshlarSQLite

/// The division of an update or a deletion into steps. Each step contains the rows of a range of rowids.
struct BatchSteps<Model: PersistentModel> {
    /// The number of rows in a step whose only purpose is to report progress.
    private static var reportDistance: Int { 10_000 }

    let descriptor: FetchDescriptor<Model>
    let options: BatchOptions
    /// Whether each row can be processed by itself, so that several steps in one transaction have the same effect as
    /// one.
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

    /// The maximum number of rows in a step; nil if one step contains all rows.
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

/// The result of the steps of an update or a deletion so far.
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

    /// Counts the rows if there is a progress handler.
    mutating func begin(_ connection: Connection) throws {
        if hasBegun { return }
        hasBegun = true
        guard steps.options.progress != nil else { return }
        let sql = try steps.descriptor.batchCount(steps.time)
        let count = Int(try connection.integer(sql.text, sql.values) ?? 0)
        rowCount = steps.descriptor.limit.map { min($0, count) } ?? count
    }

    /// Returns the rows of the next step; nil at the end.
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
