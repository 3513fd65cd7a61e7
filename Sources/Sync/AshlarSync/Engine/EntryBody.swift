import Ashlar
import AshlarSQLite
import Digests
import Foundation

/// The encoding of an entry's rows: a header that names the columns of each table, and a patchset in the format of
/// SQLite's session extension. Large values are left out and named by their hash.
struct EntryBody {
    /// An error in a body that every reader finds.
    struct Malformed: Error { var reason: String }

    private struct Header: Codable {
        var format = 1
        var columns: [String: [String]]
    }

    /// The bytes.
    private(set) var data: Data
    /// The large values, by their hashes.
    private(set) var largeValues: [String: Data] = [:]
    /// The hashes of all large values that it names, those among them that the log has already.
    private(set) var names: Set<String> = []

    // MARK: Writing

    /// - Parameters:
    ///   - changes: The rows, sorted by their tables.
    ///   - threshold: The number of bytes from which on a value is left out.
    ///   - content: Returns the content of a file in place of the value that refers to it.
    init(_ changes: [RowChange], largeFrom threshold: Int, content: (SQLiteValue) throws -> SQLiteValue) throws {
        var writer = ChangesetWriter()
        var header = Header(columns: [:])
        var large: [String: Data] = [:]
        var names: Set<String> = []
        var table: SyncedTable?
        for change in changes {
            if table !== change.table {
                table = change.table
                header.columns[change.table.name] = change.table.stored.columns
                writer.begin(change.table.name, keys: change.table.stored.keys)
            }
            switch change.operation {
            case .delete: writer.add(.delete, change.key.values.map { $0 })
            case .insert, .update:
                var told: [SQLiteValue?] = []
                for (position, value) in change.values.enumerated() {
                    let isKey = change.table.keyPositions.contains(position)
                    let key = isKey && change.operation == .update ? change.keyValue(position) : nil
                    guard let value = key ?? value else {
                        told.append(nil)
                        continue
                    }
                    let travelling = try Self.travelling(content(value), threshold, &large)
                    if case .blob(let bytes) = travelling, let hash = TaggedBlob.loggedHash(bytes) {
                        names.insert(hash)
                    }
                    told.append(travelling)
                }
                writer.add(change.operation == .insert ? .insert : .update, told)
            }
        }
        let head = try JSONEncoder().encode(header)
        data = withUnsafeBytes(of: UInt32(head.count).bigEndian) { Data($0) }
        data.append(head)
        data.append(writer.data)
        largeValues = large
        self.names = names
    }

    private static func travelling(
        _ value: SQLiteValue, _ threshold: Int, _ large: inout [String: Data]
    ) -> SQLiteValue {
        // A reference to a value that the log already has stays as it is.
        guard case .blob(let bytes) = value, bytes.count >= threshold || bytes.starts(with: TaggedBlob.valueTag),
            TaggedBlob.loggedHash(bytes) == nil
        else { return value }
        let hash = SHA256.hexadecimal(of: bytes)
        large[hash] = bytes
        return .blob(TaggedBlob.blob(ofLoggedHash: hash))
    }

    // MARK: Reading

    /// Returns whether the body may name large values. Nearly none does, and those that do spell the tag out.
    static func mayNameLargeValues(_ entry: SyncEntry) -> Bool {
        entry.body.range(of: Data(TaggedBlob.valueTag)) != nil
    }

    /// The hashes of the large values that an entry names.
    ///
    /// - Parameter logged: The columns of tables whose values stay in the log until they are read.
    /// - Throws: ``Malformed``, also if the body names a value that the entry does not list. So it does not depend on
    ///   the log whether stores leave the entry out.
    static func largeValues(
        of entry: SyncEntry, _ tables: SyncedTables, exceptOf logged: LoggedColumns
    ) throws -> Set<String> {
        guard mayNameLargeValues(entry) else { return [] }
        let listed = entry.largeValues.map { Set($0) }
        var hashes: Set<String> = []
        var (header, reader) = try open(entry.body, tables)
        while let change = try next(&reader) {
            let names = header.columns[change.table] ?? []
            for (index, value) in change.new.enumerated() {
                guard case .blob(let bytes)? = value, let hash = TaggedBlob.loggedHash(bytes) else { continue }
                guard listed?.contains(hash) ?? true else {
                    throw Malformed(reason: "it names the large value \(hash) and does not list it")
                }
                let isLeft = names.indices.contains(index) && logged.contains(names[index], of: change.table)
                if !isLeft { hashes.insert(hash) }
            }
        }
        return hashes
    }

    /// The hash of a large value.
    static func hash(of bytes: Data) -> String { SHA256.hexadecimal(of: bytes) }

    private static func open(_ data: Data, _ tables: SyncedTables) throws -> (Header, ChangesetReader) {
        guard data.count >= 4 else { throw Malformed(reason: "it has no header") }
        let count = data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= data.count - 4,
            let header = try? JSONDecoder().decode(Header.self, from: data.dropFirst(4).prefix(count))
        else { throw Malformed(reason: "its header cannot be read") }
        guard header.format == 1 else { throw Malformed(reason: "it has the format \(header.format)") }
        return (header, ChangesetReader(Data(data.dropFirst(4 + count)), columnCounts: tables.columnCounts))
    }

    private static func next(_ reader: inout ChangesetReader) throws -> ChangesetReader.Change? {
        do {
            return try reader.next()
        } catch {
            throw Malformed(reason: "\(error)")
        }
    }

    /// The rows of a body that is not trusted: its tables, columns and keys must be those of the store.
    ///
    /// - Parameters:
    ///   - largeValues: Values that the body names. References to other values stay, and are read on demand.
    ///   - check: Checks each row that is inserted or changed.
    static func changes(
        in data: Data, _ tables: SyncedTables, largeValues: [String: Data], check: (RowChange) throws -> Void = { _ in }
    ) throws -> [RowChange] {
        var (header, reader) = try open(data, tables)
        var changes: [RowChange] = []
        var places: [String: [Int]] = [:]
        while let found = try next(&reader) {
            guard let table = tables.byName[found.table] else {
                throw Malformed(reason: "there is no table \(found.table)")
            }
            let map = try places[found.table] ?? Self.places(header.columns[found.table], found, table)
            places[found.table] = map
            guard map.count == found.new.count else { throw Malformed(reason: "a row of \(found.table) is too short") }
            var values = [SQLiteValue?](repeating: nil, count: table.stored.columns.count)
            for (index, value) in found.new.enumerated() {
                values[map[index]] = value
                if case .blob(let bytes)? = value, let hash = TaggedBlob.loggedHash(bytes),
                    let content = largeValues[hash]
                {
                    values[map[index]] = .blob(content)
                }
            }
            var keyed = values
            if found.operation != .insert {
                for (index, value) in found.old.enumerated() where value != nil { keyed[map[index]] = value }
            }
            guard let key = table.key(of: keyed), key.isValid else {
                throw Malformed(reason: "a row of \(found.table) has a key that no row may have")
            }
            let operation: RowChange.Operation =
                switch found.operation {
                case .insert: .insert
                case .update: .update
                case .delete: .delete
                }
            if operation == .update { for position in table.keyPositions { values[position] = nil } }
            let change = RowChange(
                table: table, operation: operation, key: key, values: operation == .delete ? [] : values)
            if operation != .delete { try check(change) }
            changes.append(change)
        }
        return changes
    }

    /// Where each column of a body is in the store's table.
    private static func places(
        _ names: [String]?, _ change: ChangesetReader.Change, _ table: SyncedTable
    ) throws -> [Int] {
        guard let names, names.count == change.keys.count, Set(names).count == names.count,
            names.count == table.stored.columns.count
        else { throw Malformed(reason: "\(change.table) has other columns here") }
        let places = names.compactMap { table.stored.columns.firstIndex(of: $0) }
        let keys = zip(places, change.keys).filter(\.1).map(\.0)
        guard places.count == names.count, Set(keys) == Set(table.keyPositions) else {
            throw Malformed(reason: "\(change.table) has other columns here")
        }
        return places
    }
}

extension SQLiteValue {
    /// Whether the value is in a file of its own, or with the log.
    var isReference: Bool {
        guard case .blob(let bytes) = self else { return false }
        return bytes.starts(with: TaggedBlob.fileTag) || TaggedBlob.loggedHash(bytes) != nil
    }
}

extension RowChange {
    /// Returns the key's value in a column that is part of it.
    fileprivate func keyValue(_ position: Int) -> SQLiteValue? {
        table.keyPositions.firstIndex(of: position).map { .integer($0 == 0 ? key.first : key.second ?? 0) }
    }
}
