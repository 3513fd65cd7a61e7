@testable import Ashlar

/// The fetch time of statements that compare no identifiers and so need no store.
extension FetchTime {
    convenience init() { self.init(store: 0) }
}

extension ExpressionEvaluator {
    init() { self.init(time: FetchTime()) }
}

extension FetchDescriptor {
    func statement(
        selecting columns: String, limit: Int?, offset: Int?, path: AccessPath = .automatic
    ) throws(FetchError) -> SQLStatement {
        try statement(selecting: columns, limit: limit, offset: offset, time: FetchTime(), path: path)
    }
}
