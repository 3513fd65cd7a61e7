import AshlarSQLite

extension HistoryReader {
    /// Returns the combined effect of a request's transactions on rows.
    func net(_ request: PersistentHistoryChangeRequest) throws -> HistoryNet {
        var net = HistoryNet()
        var request = request
        request.resultType = .transactionsAndChanges
        guard let statement = try changesStatement(request) else { return net }
        var listing = request.transactionsOnly
        listing.changeFilters = []
        let row = Row(statement: statement.handle, store: storeNumber)
        let rows = HistoryRows(self)
        for transaction in try transactions(listing) {
            statement.bind(try firstChange(of: transaction.transactionNumber), 1)
            statement.bind(transaction.transactionNumber, 2)
            defer { statement.reset() }
            while try statement.step() {
                guard let meaning = entities.meanings[row.optionalInt64(1) ?? 0],
                    let kind = RecordedKind(rawValue: row.optionalInt64(3) ?? -1)
                else { continue }
                let change = row.optionalInt64(0) ?? 0
                let first = try rows.row(row.optionalInt64(2), change)
                switch (meaning, kind) {
                case (.objects(let entity, _), .insertion):
                    for number in try rows.range(first, row.optionalInt64(4), change) {
                        net.insert(entity.tableName, HistoryNet.Key(first: number))
                    }
                case (.pairs, _):
                    add(kind, meaning, first, try rows.row(row.optionalInt64(4), change), to: &net)
                default: add(kind, meaning, first, row.optionalInt64(4), to: &net)
                }
            }
        }
        return net
    }

    private func add(
        _ kind: RecordedKind, _ meaning: HistoryEntities.Meaning, _ row: Int64, _ detail: Int64?,
        to net: inout HistoryNet
    ) {
        switch meaning {
        case .objects(let entity, let group):
            let table = entity.tableName
            switch kind {
            case .insertion: net.insert(table, HistoryNet.Key(first: row))
            case .update:
                let bits = detail ?? 0
                let names = group.columns.enumerated().filter { bits & (1 << Int64($0.offset)) != 0 }.map(\.element)
                net.update(table, HistoryNet.Key(first: row), Set(names))
            case .deletion: net.delete(table, HistoryNet.Key(first: row))
            }
        case .pairs(let pairs):
            let key = HistoryNet.Key(first: row, second: detail ?? 0)
            switch kind {
            case .insertion: net.insert(pairs.tableName, key)
            case .update:
                net.update(pairs.tableName, key, Set([pairs.source.order, pairs.target.order].compactMap { $0 }))
            case .deletion: net.delete(pairs.tableName, key)
            }
        }
    }
}
