import AshlarSQLite
import Containers
import SystemFoundation

/// Many values as one parameter, because the number of parameters is limited.
enum ValueList {
    /// The number of values from which a list is bound as one parameter.
    static let minimumCount = 500

    /// Writes a subquery that returns the values.
    static func write(_ values: [SQLiteValue], to writer: inout some SQLWriter) {
        let isPlain = values.allSatisfy { $0.isPlain }
        writer.write("SELECT ")
        if isPlain {
            writer.write("\"value\"")
        } else {
            ScalarFunction.listed.writeName(to: &writer)
            writer.write("(\"value\")")
        }
        writer.write(" FROM json_each(")
        writer.bind(writer.keepsValues ? list(values, isPlain: isPlain) : .null)
        writer.write(")")
    }

    /// Returns the values as the text of a JSON array.
    private static func list(_ values: [SQLiteValue], isPlain: Bool) -> SQLiteValue {
        if let rowIDs = integers(values) { return .text(RowIDList.json(rowIDs)) }
        let items = values.map { isPlain ? plainItem($0) : "\"\(ListedItem.text(of: $0))\"" }
        return .text("[" + items.joined(separator: ",") + "]")
    }

    /// Returns the values if all are integers, as in most long lists.
    private static func integers(_ values: [SQLiteValue]) -> [Int64]? {
        var integers: [Int64] = []
        integers.reserveCapacity(values.count)
        for value in values {
            guard case .integer(let number) = value else { return nil }
            integers.append(number)
        }
        return integers
    }

    /// Returns a value as JSON, which preserves it.
    private static func plainItem(_ value: SQLiteValue) -> String {
        switch value {
        case .integer(let number): String(number)
        // Every text can be encoded as JSON.
        case .text(let text): (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        case .null, .real, .blob: "null"
        }
    }
}

extension SQLiteValue {
    /// Whether JSON preserves the value.
    fileprivate var isPlain: Bool {
        switch self {
        case .integer: true
        case .text(let text): !text.utf8.contains(0)
        case .null, .real, .blob: false
        }
    }
}
