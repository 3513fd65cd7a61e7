import Ashlar
import AshlarSQLite
import Digests
import Foundation
import SQLQuoting

/// A store whose rows are compared.
final class ComparedStore {
    /// The columns that identify and describe a table's rows.
    struct Form {
        var keys: [String]
        var columns: [String]
    }

    let url: URL
    let connection: Connection
    private let file: UnchangedFile
    /// The tables of the model's data; in any other file, all tables with rows of their own.
    private(set) var tables: [String: Form] = [:]
    /// Virtual tables that may hold data that is in no other table.
    private(set) var virtualTables: [String] = []

    init(_ file: UnchangedFile, _ url: URL) throws {
        self.url = url
        self.file = file
        do {
            connection = try file.connect()
            try connection.execute("BEGIN")
            var reading = StoreInspector.Reading(
                file: file, connection: connection, catalogue: try Catalogue(connection))
            try reading.readMetadata()
            if reading.result.kind == .sqlite {
                virtualTables = reading.catalogue.tables.filter { $0.kind == .virtual }.map(\.name)
            }
            for table in reading.catalogue.tables where table.kind == .table {
                if [.history, .internal].contains(reading.role(of: table)) { continue }
                tables[table.name] = try form(of: table.name)
            }
        } catch let error as SQLiteError {
            try file.requireWhole()
            throw StoreError(error, url, doing: "comparing the store")
        }
    }

    private func form(of table: String) throws(SQLiteError) -> Form {
        let found = try connection.schema().columns(of: table).filter { $0.kind != .hidden }
        let keys = found.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
        // Without a key, a row is identified by its number.
        return Form(
            keys: keys.isEmpty ? ["rowid"] : keys, columns: found.filter { $0.keyPosition == 0 }.map(\.name))
    }

    func count(_ table: String) throws -> Int64 {
        try telling { () throws(SQLiteError) in
            try connection.integer("SELECT count(*) FROM main.\(SQLQuotation.identifier(table))") ?? 0
        }
    }

    /// Runs a closure, and reports its errors as errors of this store.
    func telling<Value>(_ body: () throws(SQLiteError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error, url, doing: "comparing the store")
        }
    }

    /// Returns whether two values are the same. Values in files are compared by the content of the files, whatever
    /// their names.
    func isSame(_ own: SQLiteValue, _ value: SQLiteValue, in other: ComparedStore) throws -> Bool {
        // Two texts that look alike may have different bytes, and are then different for SQLite.
        if case .text(let first) = own, case .text(let second) = value { return first.utf8.elementsEqual(second.utf8) }
        guard case .blob(let first) = own, case .blob(let second) = value else { return own == value }
        // A value that one store has may be in the other as a reference to the log that both follow.
        switch (TaggedBlob.loggedHash(first), TaggedBlob.loggedHash(second)) {
        case (nil, nil): break
        case (let left?, let right?): return left == right
        case (let hash?, nil): return try other.hash(of: second) == hash
        case (nil, let hash?): return try self.hash(of: first) == hash
        }
        switch (content(of: first), other.content(of: second)) {
        case (.file(let left), .file(let right)):
            // Copies of a store give their files the same names, and a file that both name may be missing in both.
            return FileManager.default.contentsEqual(atPath: left.path, andPath: right.path)
        case (.bytes(let left), .bytes(let right)): return left == right
        // A value may be in a file of one store, and in a row of the other, if it came from elsewhere.
        case (.file(let url), .bytes(let bytes)), (.bytes(let bytes), .file(let url)):
            return FileManager.default.contents(atPath: url.path) == bytes
        }
    }

    /// The value in a few words, with the length of its content.
    func shown(_ value: SQLiteValue) -> String {
        guard case .blob(let blob) = value, TaggedBlob.loggedHash(blob) == nil else { return value.shown }
        switch content(of: blob) {
        case .bytes(let bytes): return "\(bytes.count) bytes"
        case .file(let url):
            let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
            return size.map { "\($0) bytes" } ?? "a file that is not there, \(url.lastPathComponent)"
        }
    }

    private enum Content {
        case file(URL)
        case bytes(Data)
    }

    /// The hash that identifies a value in a log.
    private func hash(of blob: Data) throws -> String {
        guard case .file(let url) = content(of: blob) else { return SHA256.hexadecimal(of: blob) }
        let bytes = try Data(contentsOf: url, options: .alwaysMapped)
        return SHA256.hexadecimal(of: TaggedBlob.isTagged(bytes) ? Data(TaggedBlob.inlineTag) + bytes : bytes)
    }

    private func content(of blob: Data) -> Content {
        if TaggedBlob.isTagged(blob), let url = file.externalFile(of: blob) { return .file(url) }
        return .bytes(blob.starts(with: TaggedBlob.inlineTag) ? blob.dropFirst(TaggedBlob.inlineTag.count) : blob)
    }
}

/// The rows of a table in the order of their keys.
struct ComparedRows {
    /// A row.
    struct Row {
        var key: [SQLiteValue]
        var values: [SQLiteValue]

        var keyText: String { key.map(\.shown).joined(separator: ", ") }
    }

    private let statement: Statement
    private let keyCount: Int
    private let store: ComparedStore
    private(set) var current: Row?

    init(_ store: ComparedStore, _ table: String, _ keys: [String], _ columns: [String]) throws {
        self.store = store
        let keyList = keys.map { $0 == "rowid" ? "rowid" : SQLQuotation.identifier($0) }
        let list = (keyList + columns.map(SQLQuotation.identifier)).joined(separator: ", ")
        let order = keyList.map { "\($0) COLLATE BINARY" }.joined(separator: ", ")
        keyCount = keys.count
        statement = try store.telling { () throws(SQLiteError) in
            try store.connection.prepare("SELECT \(list) FROM main.\(SQLQuotation.identifier(table)) ORDER BY \(order)")
        }
        try advance()
    }

    mutating func advance() throws {
        let statement = statement
        let values = try store.telling { () throws(SQLiteError) in try statement.step() ? statement.values : nil }
        current = values.map { Row(key: Array($0.prefix(keyCount)), values: Array($0.dropFirst(keyCount))) }
    }

    static func compare(_ left: [SQLiteValue], _ right: [SQLiteValue]) -> Int {
        for (first, second) in zip(left, right) {
            let order = SQLiteValue.compare(first, second)
            if order != 0 { return order }
        }
        return 0
    }
}

extension SQLiteValue {
    /// The value in a few words.
    var shown: String {
        switch self {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text.count > 60 ? "\"\(text.prefix(60))…\" (\(text.count) characters)" : "\"\(text)\""
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
