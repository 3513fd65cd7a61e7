import SystemFoundation

/// The estimated cost of finding rows, in microseconds on one machine of 2026. Only ratios matter.
///
/// The costs were measured with a table of 240 bytes per row. The costs after finding rows are the same for all access
/// paths, and not included: reading columns, and sorting all rows.
enum AccessCost {
    /// Reading rows in sequence.
    static func scanning(_ rows: Double) -> Double { 0.115 * rows }

    /// Finding rows one by one in another order than that of the table. With more rows, fewer are in the cache.
    static func walking(_ rows: Double) -> Double { 2 + walkingOneRow * rows * max(1, pow(rows / 100, 0.25)) }

    static let walkingOneRow = 0.2

    /// Skipping entries of an index whose rows are not among some identifiers.
    static func passing(_ entries: Double) -> Double { 0.2 * entries }

    /// Finding the first rows of another order.
    static func sorting(_ rows: Double) -> Double { 0.15 * rows }

    /// Finding the candidates of an R-tree, in its order.
    static func candidates(_ rows: Double) -> Double { 5 + 0.58 * rows * max(1, pow(rows / 1000, 0.33)) }

    /// Collecting the identifiers that an R-tree finds, and finding the rows in the order of identifiers.
    static func identifiers(_ rows: Double) -> Double {
        collecting(rows) + 0.4 * rows * min(2.4, max(1, pow(rows / 1000, 0.38)))
    }

    /// Collecting the owners of rows in a list.
    static func listing(_ rows: Double) -> Double { 0.15 * rows }

    /// Searching a number of an owner's rows for a match.
    static func looking(_ rows: Double) -> Double { 1.5 + 0.4 * rows }

    /// Collecting the identifiers that an R-tree finds.
    static func collecting(_ rows: Double) -> Double { 12 + 0.36 * rows }
}
