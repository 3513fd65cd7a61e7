import AshlarSQLite

/// An order by one value, made with ``Column/ascending`` or ``Column/descending``.
///
///     let posts = Post.order { $0.timestamp.descending }
///
/// The counterparts are `SortDescriptor` and `NSSortDescriptor`.
public struct ColumnOrder: Sendable, Hashable {
    let expression: SQLExpression
    let isAscending: Bool
    /// The collation of texts; nil compares their bytes.
    var collation: TextCollation?

    func write(to writer: inout some SQLWriter) {
        expression.writeOrder(to: &writer)
        if let collation {
            writer.write(" COLLATE ")
            writer.write(name: collation.rawValue)
        }
        if !isAscending { writer.write(" DESC") }
    }

    /// The order of the values.
    var valueOrder: ValueOrder {
        ValueOrder(
            isAscending: isAscending, collation: collation, isDecimal: expression.isDecimal,
            isIdentifier: expression.isIdentifier)
    }

    /// Returns a number less than zero if the first value comes first, and greater than zero if it comes last.
    func order(_ left: SQLiteValue, _ right: SQLiteValue) -> Int { valueOrder.order(left, right) }
}

/// The order of values without their expressions, and without references, which each comparison would count.
struct ValueOrder {
    let isAscending: Bool
    let collation: TextCollation?
    let isDecimal: Bool
    let isIdentifier: Bool

    /// Returns a number less than zero if the first value comes first, and greater than zero if it comes last.
    func order(_ left: SQLiteValue, _ right: SQLiteValue) -> Int {
        let order: Int
        if let collation, case .text(let first) = left, case .text(let second) = right {
            order = collation.compare(first, second)
        } else if isIdentifier {
            order = SQLiteValue.orderOfIdentifiers(left, right)
        } else {
            order = SQLiteValue.order(left, right, isDecimal)
        }
        return isAscending ? order : -order
    }
}

extension SQLiteValue {
    /// Returns the order of two identifiers. Temporary ones, which count downwards from -1, come after all others.
    static func orderOfIdentifiers(_ left: SQLiteValue, _ right: SQLiteValue) -> Int {
        guard case .integer(let first) = left, case .integer(let second) = right else { return compare(left, right) }
        let (place, other) = (UInt64(place: first), UInt64(place: second))
        return place < other ? -1 : place == other ? 0 : 1
    }
}

extension UInt64 {
    fileprivate init(place rowID: Int64) { self = rowID > 0 ? UInt64(rowID) : 1 << 63 | rowID.magnitude }
}

extension PersistentModel {
    /// Returns a descriptor for all objects in the order of a column, least values first.
    ///
    ///     let posts = try context.fetch(Post.order { $0.timestamp })
    ///
    /// - Parameter column: The column to order by.
    @_disfavoredOverload
    public static func order<Value>(_ column: (Columns<Self>) -> Column<Value>) -> FetchDescriptor<Self> {
        FetchDescriptor().order(column)
    }
}

extension FetchDescriptor {
    /// Returns the descriptor with a further column to order by, least values first.
    ///
    ///     let posts = Post.where { $0.isDraft }.order { $0.title }
    ///
    /// - Parameter column: The column to order by.
    @_disfavoredOverload
    public consuming func order<Value>(_ column: (Columns<Model>) -> Column<Value>) -> Self {
        order { column($0).ascending }
    }
}

extension Projection {
    /// Returns the projection with a further value to order by, least values first.
    ///
    ///     let titles: [String] = try context.fetch(Post.select { $0.title }.order { $0.title })
    ///
    /// - Parameter column: The value to order by.
    @_disfavoredOverload
    public func order<Ordered>(_ column: (Columns<Model>) -> Column<Ordered>) -> Self {
        order { column($0).ascending }
    }
}

extension GroupedFetch {
    /// Returns the groups with a further value to order by, least values first.
    ///
    ///     let groups = Post.group { $0.author.name }.order { $0.author.name }
    ///
    /// - Parameter column: The value to order by.
    @_disfavoredOverload
    public func order<Value>(_ column: (Columns<Model>) -> Column<Value>) -> Self {
        order { column($0).ascending }
    }
}
