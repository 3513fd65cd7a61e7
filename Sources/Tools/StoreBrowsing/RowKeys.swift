import AshlarSQLite
import Foundation
import SQLQuoting

/// The order of rows: some columns, followed by those of the key, so that no two rows are equal.
///
/// A page begins after a row rather than at a number of rows. Finding this row is a search in an index, however far
/// into the table it is.
///
/// The rows that follow are described in parts, each a range of an index if there is one. The first part are the rows
/// that are equal in all columns but the last, the second those that are equal in all but the last two, and so on. NULL
/// sorts before all other values.
struct RowOrder {
    struct Term {
        /// The column as SQL.
        var column: String
        var isAscending: Bool
    }

    var terms: [Term]
    /// The number of terms at the end that make up the key.
    var keyCount: Int
    /// The rows as SQL, to look up the values of one.
    var table: String

    /// The order the other way round.
    var reversed: RowOrder {
        var result = self
        for index in terms.indices { result.terms[index].isAscending.toggle() }
        return result
    }

    /// The order as SQL.
    var text: String {
        terms.map { $0.column + ($0.isAscending ? "" : " DESC") }.joined(separator: ", ")
    }

    /// A part of the rows that follow one, as a condition.
    struct Part: Equatable {
        var condition: String
        var values: [SQLiteValue]
    }

    /// The parts of the rows behind one, in their order. Parameters are numbered from one behind those that are taken.
    func parts(behind position: RowPosition, parametersFrom first: Int) -> [Part] {
        guard position.values.count == terms.count else { return [] }
        let key = position.values.suffix(keyCount).map(\.known)
        /// A value as SQL, which is bound, or looked up in its row.
        func write(_ index: Int, _ values: inout [SQLiteValue]) -> String {
            if case .known(let value) = position.values[index] {
                values.append(value)
                return "?\(first + values.count - 1)"
            }
            let row = terms.suffix(keyCount).enumerated().map { place, term in
                values.append(key[place])
                return "\(term.column) IS ?\(first + values.count - 1)"
            }
            return "(SELECT \(terms[index].column) FROM \(table) WHERE \(row.joined(separator: " AND ")))"
        }
        var result: [Part] = []
        for last in terms.indices.reversed() {
            var equal: [String] = []
            var values: [SQLiteValue] = []
            for index in 0..<last { equal.append("\(terms[index].column) IS \(write(index, &values))") }
            let column = terms[last].column
            var endings: [(String, [SQLiteValue])] = []
            if position.values[last].known.isNull {
                if terms[last].isAscending { endings.append(("\(column) IS NOT NULL", values)) }
            } else {
                var more = values
                let value = write(last, &more)
                endings.append(("\(column) \(terms[last].isAscending ? ">" : "<") \(value)", more))
                // A key has no NULL, but for that of a table whose writer allowed it.
                if !terms[last].isAscending { endings.append(("\(column) IS NULL", values)) }
            }
            for (ending, values) in endings {
                result.append(Part(condition: (equal + [ending]).joined(separator: " AND "), values: values))
            }
        }
        return result
    }
}

/// The position of a row in an order: the row's values of all terms.
struct RowPosition: Equatable {
    enum Value: Equatable {
        case known(SQLiteValue)
        /// A value that is looked up in its row, because it is too long for an address or is not valid text.
        case stored

        var known: SQLiteValue {
            // Values that are looked up are never NULL.
            if case .known(let value) = self { value } else { .integer(0) }
        }
    }

    var values: [Value]

    private static let greatestLength = 200

    /// The position of a row; nil where its key is too long for an address.
    init?(_ values: [SQLiteValue], keyCount: Int) {
        self.values = values.map { value in
            switch value {
            case .text(let text)
            where text.utf8.count > Self.greatestLength || text.unicodeScalars.contains("\u{FFFD}"):
                .stored
            case .blob(let bytes) where bytes.count > Self.greatestLength: .stored
            default: .known(value)
            }
        }
        if self.values.suffix(keyCount).contains(.stored) { return nil }
    }

    // MARK: In an address

    /// The position as letters, digits, points and hyphens.
    var text: String { values.map(Self.text).joined(separator: ".") }

    private static func text(_ value: Value) -> String {
        guard case .known(let value) = value else { return "s" }
        switch value {
        case .null: return "n"
        case .integer(let number): return "i\(number)"
        case .real(let number): return "r" + String(number.bitPattern, radix: 16)
        case .text(let text): return "t" + digits(Data(text.utf8))
        case .blob(let bytes): return "b" + digits(bytes)
        }
    }

    /// Reads such a text; nil for any other.
    init?(_ text: String, of order: RowOrder) {
        var values: [Value] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let value = Self.value(part) else { return nil }
            values.append(value)
        }
        guard values.count == order.terms.count, !values.suffix(order.keyCount).contains(.stored) else { return nil }
        self.values = values
    }

    private static func value(_ text: Substring.UTF8View) -> Value? {
        guard let kind = text.first else { return nil }
        let rest = text.dropFirst()
        switch kind {
        case UInt8(ascii: "n"): return rest.isEmpty ? .known(.null) : nil
        case UInt8(ascii: "s"): return rest.isEmpty ? .stored : nil
        case UInt8(ascii: "i"): return Int64(String(Substring(rest))).map { .known(.integer($0)) }
        case UInt8(ascii: "r"):
            guard let pattern = UInt64(String(Substring(rest)), radix: 16) else { return nil }
            let number = Double(bitPattern: pattern)
            return number.isNaN ? nil : .known(.real(number))
        case UInt8(ascii: "t"):
            return bytes(rest).flatMap { String(validating: $0, as: UTF8.self) }.map { .known(.text($0)) }
        case UInt8(ascii: "b"): return bytes(rest).map { .known(.blob(Data($0))) }
        default: return nil
        }
    }

    private static func digits(_ bytes: Data) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private static func bytes(_ text: Substring.UTF8View.SubSequence) -> [UInt8]? {
        let digits = Array(text)
        guard digits.count.isMultiple(of: 2), digits.count <= 4 * greatestLength else { return nil }
        var result: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            guard pair.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let byte = UInt8(pair, radix: 16)
            else { return nil }
            result.append(byte)
        }
        return result
    }
}
