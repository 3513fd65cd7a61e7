import SystemFoundation

/// The estimated cost of finding rows, in microseconds of one machine of 2026; only ratios matter.
///
/// Measured with a table of 240 bytes a row. What follows the finding, the reading of columns and a sort of all rows, is the
/// same for all ways and left out.
enum AccessCost {
    /// Reading rows one after the other.
    static func scanning(_ rows: Double) -> Double { 0.115 * rows }

    /// Finding rows one by one in an order that is not theirs. The more there are, the fewer are in the cache.
    static func walking(_ rows: Double) -> Double { 2 + walkingOneRow * rows * max(1, pow(rows / 100, 0.25)) }

    static let walkingOneRow = 0.2

    /// Passing entries of an index whose rows are not among some identifiers.
    static func passing(_ entries: Double) -> Double { 0.2 * entries }

    /// Finding the first of rows in an order that is not the one in which they come.
    static func sorting(_ rows: Double) -> Double { 0.15 * rows }

    /// Finding the candidates of an R-tree in its order.
    static func candidates(_ rows: Double) -> Double { 5 + 0.58 * rows * max(1, pow(rows / 1000, 0.33)) }

    /// Collecting the identifiers that an R-tree finds, and finding the rows in their order.
    static func identifiers(_ rows: Double) -> Double {
        collecting(rows) + 0.4 * rows * min(2.4, max(1, pow(rows / 1000, 0.38)))
    }

    /// Making a list of the owners of rows.
    static func listing(_ rows: Double) -> Double { 0.15 * rows }

    /// Looking for one of an owner's rows that matches among so many.
    static func looking(_ rows: Double) -> Double { 1.5 + 0.4 * rows }

    /// Collecting the identifiers that an R-tree finds.
    static func collecting(_ rows: Double) -> Double { 12 + 0.36 * rows }
}
