import AshlarSQLite
import SystemFoundation

/// Reads changesets and patchsets of SQLite's session extension. The bytes may come from an untrusted source: any
/// defect is reported as an error.
package struct ChangesetReader {
    package struct Change {
        package var table: String
        /// Whether each column is part of the key.
        package var keys: [Bool]
        package var operation: ChangesetWriter.Operation
        /// The earlier values of the columns; nil if they are unknown. The key is always known for an update or
        /// deletion.
        package var old: [SQLiteValue?]
        /// The new values of the columns; nil if they did not change.
        package var new: [SQLiteValue?]
        /// Whether an update or deletion contains the earlier values of all its columns.
        var hasOldValues: Bool
    }

    private let bytes: [UInt8]
    private var position = 0
    private var isPatchset = false
    private var table = ""
    private var keys: [Bool] = []
    /// The numbers of columns that tables must have, by name; nil if any table is read.
    private let columnCounts: [String: Int]?

    /// - Parameter columnCounts: The numbers of columns of the known tables, by name; nil to read any table. Without
    ///   it, a few bytes of an untrusted source could declare tables of ten thousand columns a thousand times.
    package init(_ data: Data, columnCounts: [String: Int]? = nil) {
        bytes = Array(data)
        self.columnCounts = columnCounts
    }

    /// Returns the next change; nil at the end.
    package mutating func next() throws(ChangesetError) -> Change? {
        while position < bytes.count, bytes[position] == 0x50 || bytes[position] == 0x54 { try readTable() }
        if position == bytes.count { return nil }
        guard !keys.isEmpty, let operation = ChangesetWriter.Operation(rawValue: try byte()) else {
            throw .malformed(offset: max(0, position - 1))
        }
        // The flag of changes made by a trigger is not needed.
        _ = try byte()
        let nothing = [SQLiteValue?](repeating: nil, count: keys.count)
        var change = Change(
            table: table, keys: keys, operation: operation, old: nothing, new: nothing, hasOldValues: !isPatchset)
        switch (operation, isPatchset) {
        case (.insert, _): change.new = try record()
        case (.delete, false): change.old = try record()
        case (.delete, true): change.old = try record(keysOnly: true)
        case (.update, false):
            change.old = try record()
            change.new = try record()
        case (.update, true):
            change.new = try record()
            for index in keys.indices where keys[index] {
                change.old[index] = change.new[index]
                change.new[index] = nil
            }
        }
        let row = operation == .insert ? change.new : change.old
        for index in keys.indices where row[index] == nil && (keys[index] || operation == .insert) {
            throw .malformed(offset: position)
        }
        return change
    }

    private mutating func readTable() throws(ChangesetError) {
        isPatchset = try byte() == 0x50
        let count = try number()
        guard count > 0, count <= 32_767, count <= bytes.count - position else { throw .malformed(offset: position) }
        keys = bytes[position..<position + count].map { $0 != 0 }
        position += count
        guard let end = bytes[position...].firstIndex(of: 0), keys.contains(true),
            let name = String(validating: bytes[position..<end], as: UTF8.self)
        else { throw .malformed(offset: position) }
        if let columnCounts, columnCounts[name] != count { throw .otherTable(name) }
        table = name
        position = end + 1
    }

    private mutating func record(keysOnly: Bool = false) throws(ChangesetError) -> [SQLiteValue?] {
        var values: [SQLiteValue?] = []
        for isKey in keys { values.append(keysOnly && !isKey ? nil : try value()) }
        return values
    }

    private mutating func value() throws(ChangesetError) -> SQLiteValue? {
        let type = try byte()
        switch type {
        case 0: return nil
        case 1: return .integer(Int64(bitPattern: try word()))
        case 2: return .real(Double(bitPattern: try word()))
        case 3:
            guard let text = String(validating: try run(), as: UTF8.self) else { throw .malformed(offset: position) }
            return .text(text)
        case 4: return .blob(Data(try run()))
        case 5: return .null
        default: throw .malformed(offset: position - 1)
        }
    }

    private mutating func byte() throws(ChangesetError) -> UInt8 {
        guard position < bytes.count else { throw .malformed(offset: position) }
        position += 1
        return bytes[position - 1]
    }

    private mutating func word() throws(ChangesetError) -> UInt64 {
        guard bytes.count - position >= 8 else { throw .malformed(offset: position) }
        position += 8
        return bytes[position - 8..<position].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func run() throws(ChangesetError) -> ArraySlice<UInt8> {
        let count = try number()
        guard count <= bytes.count - position else { throw .malformed(offset: position) }
        position += count
        return bytes[position - count..<position]
    }

    private mutating func number() throws(ChangesetError) -> Int {
        var result: UInt64 = 0
        for index in 0..<9 {
            let byte = try byte()
            if index == 8 {
                result = result << 8 | UInt64(byte)
            } else {
                result = result << 7 | UInt64(byte & 0x7F)
                if byte & 0x80 == 0 { break }
            }
        }
        guard let number = Int(exactly: result) else { throw .malformed(offset: position) }
        return number
    }
}
