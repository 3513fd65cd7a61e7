import Ashlar
import AshlarSQLite

/// Makes objects refer to each other.
extension StoreLoad {
    // MARK: Objects that come later

    func postpone(
        _ name: String, row: Int64, _ wanted: SQLiteValue, position: Int = 0,
        _ place: () throws -> DeferredReferences.Place
    ) throws {
        let deferred = try self.deferred ?? DeferredReferences(connection)
        self.deferred = deferred
        try deferred.add(name, row: row, wanted: wanted, position: position, object: count, place)
    }

    private static func failure(_ object: Int, _ text: String) -> ExchangeError {
        ExchangeError("Object \(object): \(text)")
    }

    func resolveDeferred() throws {
        try deferred?.resolve(Self.failure) { found in
            switch found.place {
            case .column(let reference, let update):
                try run(update, [found.target, .integer(found.row)], reference.name)
            case .inverse(let inverse):
                try run(inverse.update, [.integer(found.row), found.target], inverse.reference.name)
                if connection.changes == 0 {
                    throw Self.failure(found.object, inverse.reference.missing)
                }
            case .pair(let pairs):
                try insert(
                    pairs, from: found.row, to: found.target, at: found.position, object: found.object,
                    pairs.reference.name)
            }
        }
    }

    // MARK: Pairs

    func insert(
        _ pairs: LoadedPairs, _ value: ExchangedValue, isLoose: Bool, of identifier: Int64, _ entity: String
    ) throws {
        var value = value
        if isLoose, case .text(let text) = value {
            guard let list = JSONParser.value(of: Array(text.utf8)) else {
                throw failure("\(pairs.reference.name) is not a list: \(text.prefix(60)). Write it as [1, 2].")
            }
            value = list
        }
        if value == .null { return }
        guard case .list(let list) = value else { throw failure("\(pairs.reference.name) is not a list.") }
        if let order = pairs.otherOrder, !list.isEmpty { unordered.insert(order) }
        for (position, element) in list.enumerated() {
            switch try pairs.reference.target(of: element, failure) {
            case .number(let target):
                try insert(pairs, from: identifier, to: target, at: position, object: count, entity)
            case .missing(let wanted):
                try postpone(pairs.reference.name, row: identifier, wanted, position: position) { .pair(pairs) }
            }
        }
    }

    private func insert(
        _ pairs: LoadedPairs, from row: Int64, to target: SQLiteValue, at position: Int, object: Int, _ entity: String
    ) throws {
        try run(
            pairs.insertion, [.integer(row), target] + (pairs.hasOrder ? [Self.order(position)] : []), entity)
        guard let inverse = pairs.inverse else { return }
        try run(inverse, [target, .integer(row)] + (pairs.hasOrder ? [Self.order(object)] : []), entity)
    }

    /// With room between, as the runtime leaves it.
    private static func order(_ position: Int) -> SQLiteValue { .integer(Int64(position + 1) * OrderKeys.distance) }
}
