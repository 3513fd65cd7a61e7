import AshlarSQLite
import SystemFoundation

/// Writes the documented format of SQLite's session extension: tables, each followed by its changes.
package struct ChangesetWriter {
    /// SQLite's codes for the kinds of changes.
    package enum Operation: UInt8 {
        case delete = 9
        case insert = 18
        case update = 23
    }

    package private(set) var data = Data()

    package init() {}

    /// Begins a table of a patchset.
    ///
    /// - Parameter keys: The position of each column in the primary key, counted from 1; 0 for other columns.
    package mutating func begin(_ table: String, keys: [UInt8]) {
        data.append(0x50)
        append(UInt64(keys.count))
        data.append(contentsOf: keys)
        data.append(contentsOf: Array(table.utf8))
        data.append(0)
    }

    /// Adds a change. The value of an unchanged column is nil. A deletion has the values of the key.
    package mutating func add(_ operation: Operation, _ values: [SQLiteValue?]) {
        data.append(operation.rawValue)
        data.append(0)
        for value in values { append(value) }
    }

    private mutating func append(_ value: SQLiteValue?) {
        switch value {
        case nil: data.append(0)
        case .integer(let integer):
            data.append(1)
            append(bigEndian: UInt64(bitPattern: integer))
        case .real(let number):
            data.append(2)
            append(bigEndian: number.bitPattern)
        case .text(let text):
            data.append(3)
            append(UInt64(text.utf8.count))
            data.append(contentsOf: Array(text.utf8))
        case .blob(let blob):
            data.append(4)
            append(UInt64(blob.count))
            data.append(blob)
        case .null: data.append(5)
        }
    }

    private mutating func append(bigEndian bits: UInt64) {
        withUnsafeBytes(of: bits.bigEndian) { data.append(contentsOf: $0) }
    }

    /// Writes a number in SQLite's format of one to nine bytes: seven bits in each of the first eight, and eight bits
    /// in the ninth.
    private mutating func append(_ number: UInt64) {
        if number >> 56 != 0 {
            for shift in stride(from: 57, through: 8, by: -7) {
                data.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)) | 0x80)
            }
            return data.append(UInt8(truncatingIfNeeded: number))
        }
        var groups = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            groups.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        data.append(contentsOf: groups.reversed())
    }
}
