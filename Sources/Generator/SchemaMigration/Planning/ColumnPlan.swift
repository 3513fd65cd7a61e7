import DataModel
import RelationalSchema

/// The value of a column of a new table, in terms of an old row.
struct ColumnPlan {
    let column: Column
    let value: ColumnValue
}

/// A value in terms of an old row.
enum ColumnValue: Hashable {
    /// The value of an old column.
    case column(String)
    /// A literal.
    case constant(String)
    /// A value that SQLite generates from other columns of the row.
    case generated
    /// An expression; the base is the only old column of the row that it is made from.
    case expression(String, base: String?, readsOtherTables: Bool = false)

    static let null = ColumnValue.constant("NULL")

    var sql: String {
        switch self {
        case .column(let name): SQLText.identifier(name)
        case .constant(let literal): literal
        case .generated: "NULL"
        case .expression(let text, _, _): text
        }
    }

    /// The old column that may become the new one.
    var base: String? {
        switch self {
        case .column(let name): name
        case .constant, .generated: nil
        case .expression(_, let base, _): base
        }
    }

    var readsOtherTables: Bool {
        if case .expression(_, _, true) = self { true } else { false }
    }
}
