import Ashlar
import AshlarSQLite
import FileErrors
import Foundation
import SQLQuoting
import StoreDescription

/// The objects of an entity, one after the other, as text.
///
/// The treatment of each column is determined once (``DumpedField``). Values go directly from SQLite's memory to the
/// text.
final class DumpedRows {
    let dump: StoreDump
    let file: UnchangedFile
    private let connection: Connection
    let table: String
    private let root: String
    let columns: [String]
    /// The text before the values in a statement that inserts an object.
    let statementHead: String
    private let hasDiscriminator: Bool
    private let entities: [String: DumpedEntity]
    /// The fields of all entities, for a line that has them all.
    let allFields: [ExchangedVersion.Field]
    private let rows: Statement
    /// Finds the row with a number, if only some rows are requested.
    private let lookUp: Statement?
    private var pairs: [String: Statement] = [:]
    private var names: [String: Statement] = [:]

    init(
        _ selection: StoreDump.Selection, of dump: StoreDump, _ file: UnchangedFile, _ connection: Connection
    ) throws {
        let version = dump.version
        guard let root = version.line(selection.entity).first else {
            throw ExchangeError(
                "There is no entity \(selection.entity). There are \(version.names.joined(separator: ", ")).")
        }
        self.dump = dump
        self.file = file
        self.connection = connection
        self.root = root.name
        table = root.table
        hasDiscriminator = version.hasDiscriminator(root.name)
        var fields: [(entity: String, own: [ExchangedVersion.Field])] = []
        var all: [ExchangedVersion.Field] = []
        var seen: Set<String> = []
        for entity in version.hierarchy(selection.entity) {
            let own = version.fields(of: entity.name)
            fields.append((entity.name, own))
            // Two entities may have fields with the same name and different columns.
            for field in own where seen.insert(field.key).inserted { all.append(field) }
        }
        if dump.format == .csv {
            var names: Set<String> = []
            for field in all where !names.insert(field.name).inserted {
                throw ExchangeError(
                    "Two entities below \(selection.entity) have a property \(field.name), which would be one field of the "
                        + "lines. Write them one by one, or write JSON.")
            }
        }
        allFields = all
        var columns = ["id$"] + (hasDiscriminator ? ["entity$"] : [])
        for column in all.flatMap(\.columns) where !columns.contains(column) { columns.append(column) }
        self.columns = columns
        let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, Int32($0)) })
        entities = Dictionary(
            uniqueKeysWithValues: fields.map { ($0.entity, DumpedEntity($0.entity, $0.own, all, places, dump)) })
        let list = columns.map(SQLQuotation.identifier).joined(separator: ", ")
        statementHead = "INSERT INTO \(SQLQuotation.identifier(root.table)) (\(list)) VALUES ("
        let source = "SELECT \(list) FROM main.\(SQLQuotation.identifier(root.table))"
        if let identifiers = selection.identifiers {
            rows = try connection.prepare(identifiers.text)
            rows.bind(identifiers.values)
            lookUp = try connection.prepare(source + " WHERE \"id$\" = ?1")
        } else {
            rows = try connection.prepare(
                source + (try Self.condition(selection.entity, version)) + " ORDER BY \"id$\"")
            lookUp = nil
        }
    }

    /// Returns the condition that distinguishes the objects of an entity and its subentities in their table.
    static func condition(_ entity: String, _ version: ExchangedVersion) throws -> String {
        guard let found = version.entity(entity) else {
            throw ExchangeError("There is no entity \(entity). There are \(version.names.joined(separator: ", ")).")
        }
        if found.parent == nil { return "" }
        let names = version.hierarchy(entity).map { SQLQuotation.literal($0.name) }
        return " WHERE \"entity$\" IN (\(names.joined(separator: ", ")))"
    }

    /// Moves to the next object; returns false if there is none.
    func advance() throws -> Bool {
        guard try rows.step() else { return false }
        guard let lookUp else { return true }
        lookUp.reset()
        lookUp.bind(rows.values)
        // It was there in this very transaction.
        return try lookUp.step() ? true : advance()
    }

    /// Writes the object.
    func write(to text: inout TextBytes) throws {
        let row = lookUp ?? rows
        var name = root
        if hasDiscriminator, let found = row.text(1) { name = found }
        guard let entity = entities[name] else {
            throw ExchangeError(
                "The row \(row.integer(0)) of \(table) belongs to the entity \(name), which the model does not have.")
        }
        switch dump.format {
        case .json: try writeJSON(row, entity, to: &text)
        case .csv: try writeLine(row, entity, to: &text)
        case .sql: try writeStatements(row, entity, to: &text)
        }
        if text.hasInvalidText { throw invalidText(row) }
    }

    func invalidText(_ row: Statement) -> ExchangeError {
        ExchangeError(
            "The row \(row.integer(0)) of \(table) has a text that is not valid UTF-8, which only SQL can represent. "
                + "Write it as SQL, or correct the text.")
    }

    // MARK: Values

    /// Writes a column's value of a type as JSON or as a field of CSV; a value of another type is written unchanged.
    func write(
        _ column: Int32, _ type: ColumnLine.AttributeType?, of row: Statement, to text: inout TextBytes
    ) throws {
        let isJSON = dump.format == .json
        switch row.lent(column) {
        case .null: if isJSON { text.write("null") }
        case .integer(let number):
            // Every number except 0 is read as true.
            if type == .boolean {
                text.write(number != 0 ? "true" : "false")
            } else {
                text.write(number)
            }
        case .real(let number):
            if type == .date {
                let length = text.count
                text.write("\"")
                if ExchangedDate.write(number, to: &text) { return text.write("\"") }
                text.removeLast(text.count - length)
            }
            isJSON ? text.write(json: number) : text.write(number)
        case .text(let value): isJSON ? text.write(json: value) : text.write(csv: value)
        case .blob(let bytes):
            // Neither contains a letter that must be escaped.
            if type == .uuid, bytes.count == 16 {
                text.write("\"")
                text.writeUUID(bytes)
                text.write("\"")
            } else if let start = bytes.baseAddress, type != .uuid, TaggedBlob.isTagged(start, bytes.count) {
                let value = try tagged(Data(bytes))
                isJSON ? text.write(json: value) : text.write(csv: value)
            } else {
                text.write("\"")
                text.writeBase64(bytes)
                text.write("\"")
            }
        }
    }

    /// The same as a value, for those that are within others.
    func value(_ column: Int32, _ type: ColumnLine.AttributeType?, of row: Statement) throws -> ExchangedValue {
        switch row.lent(column) {
        case .text(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else { throw invalidText(row) }
            return .text(text)
        case .blob(let bytes)
        where type != .uuid && bytes.baseAddress.map { TaggedBlob.isTagged($0, bytes.count) } == true:
            return try tagged(Data(bytes))
        default: return ExchangedValue(SQLiteValue(column, of: row.handle), type)
        }
    }

    /// Returns the value that a tagged blob represents.
    private func tagged(_ bytes: Data) throws -> ExchangedValue {
        guard let url = file.externalFile(of: bytes) else {
            let isInline = bytes.starts(with: TaggedBlob.inlineTag)
            return .text((isInline ? bytes.dropFirst(TaggedBlob.inlineTag.count) : bytes).base64EncodedString())
        }
        try Self.requireRead(bytes, url)
        do {
            switch dump.largeValues {
            case .inside: return .text(try Data(contentsOf: url, options: .alwaysMapped).base64EncodedString())
            case .beside(let folder):
                try Self.copy(url, into: folder)
                return .object([("file", .text(url.lastPathComponent))])
            }
        } catch let error as CocoaError {
            throw ExchangeError(
                "A large value of the row \((lookUp ?? rows).integer(0)) of \(table) cannot be copied from \(url.path): "
                    + "\(FileErrorReason.text(error)). `ashlar check` lists all missing files.")
        }
    }

    /// Refuses values that are still in a log, and not yet the store's.
    static func requireRead(_ blob: Data, _ url: URL) throws {
        guard let hash = TaggedBlob.loggedHash(blob), !FileManager.default.fileExists(atPath: url.path) else { return }
        throw ExchangeError(
            "The value \(hash) is with the log that the store follows, and was not read yet. Have the program call "
                + "StoreSync.readLargeValues() first.")
    }

    /// Copies the file of a value, whole or not at all. A file of its name that an earlier dump left is replaced.
    private static func copy(_ url: URL, into folder: URL) throws {
        let copy = folder.appendingPathComponent(url.lastPathComponent)
        let temporary = folder.appendingPathComponent(url.lastPathComponent + ".part")
        if FileManager.default.fileExists(atPath: temporary.path) { try FileManager.default.removeItem(at: temporary) }
        do {
            try FileManager.default.copyItem(at: url, to: temporary)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
        if rename(temporary.path, copy.path) != 0 {
            throw ExchangeError("The file \(copy.path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    // MARK: References

    /// Returns the representation of a referenced object: its number, or the requested name.
    func reference(_ number: SQLiteValue, to entity: String) throws -> ExchangedValue {
        guard case .integer = number, let attribute = dump.keys.attribute(for: entity, dump.version),
            let table = dump.version.line(entity).first?.table
        else { return ExchangedValue(number, .integer64) }
        let sql =
            "SELECT \(SQLQuotation.identifier(attribute.column)) FROM main.\(SQLQuotation.identifier(table)) WHERE \"id$\" = ?1"
        let statement = try names[sql] ?? connection.prepare(sql)
        names[sql] = statement
        statement.reset()
        statement.bind([number])
        guard try statement.step(), let found = statement.values.first, !found.isNull else {
            throw ExchangeError("An object of \(entity) has no \(attribute.keyPath), by which it is to be referred to.")
        }
        return ExchangedValue(found, attribute.type)
    }

    /// The numbers of those that an object refers to by a table of pairs.
    func references(of row: Statement, _ pairs: DumpedPairs) throws -> [Int64] {
        let statement = try self.pairs[pairs.query] ?? connection.prepare(pairs.query)
        self.pairs[pairs.query] = statement
        statement.reset()
        statement.bind(row.integer(0), 1)
        var result: [Int64] = []
        while try statement.step() { result.append(statement.integer(0)) }
        return result
    }
}
