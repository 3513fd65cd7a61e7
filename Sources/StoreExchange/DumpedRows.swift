import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting
import StoreDescription

/// The objects of an entity, one after the other, as text.
final class DumpedRows {
    let dump: StoreDump
    let file: UnchangedFile
    private let connection: Connection
    let table: String
    private let root: String
    let columns: [String]
    private let hasDiscriminator: Bool
    /// The columns' places among those that are selected.
    private let places: [String: Int]
    private let fields: [String: [ExchangedVersion.Field]]
    /// The fields of all entities, for a line that has them all.
    private let allFields: [ExchangedVersion.Field]
    private let rows: Statement
    /// Gives the row of a number, where only some are wanted.
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
        var fields: [String: [ExchangedVersion.Field]] = [:]
        var all: [ExchangedVersion.Field] = []
        var seen: Set<String> = []
        for entity in version.hierarchy(selection.entity) {
            let own = version.fields(of: entity.name)
            fields[entity.name] = own
            // Two entities may have fields of one name, and columns of their own.
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
        self.fields = fields
        allFields = all
        var columns = ["id$"] + (hasDiscriminator ? ["entity$"] : [])
        for column in all.flatMap(\.columns) where !columns.contains(column) { columns.append(column) }
        self.columns = columns
        places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0) })
        let list = columns.map(SQLQuotation.identifier).joined(separator: ", ")
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

    /// What tells the objects of an entity, and of those below it, from others in their table.
    static func condition(_ entity: String, _ version: ExchangedVersion) throws -> String {
        guard let found = version.entity(entity) else {
            throw ExchangeError("There is no entity \(entity). There are \(version.names.joined(separator: ", ")).")
        }
        if found.parent == nil { return "" }
        let names = version.hierarchy(entity).map { SQLQuotation.literal($0.name) }
        return " WHERE \"entity$\" IN (\(names.joined(separator: ", ")))"
    }

    /// The next object's text; nil where there is none.
    func next() throws -> [UInt8]? {
        guard try rows.step() else { return nil }
        var values = rows.values
        if let lookUp {
            lookUp.reset()
            lookUp.bind(values)
            // It was there in this very transaction.
            guard try lookUp.step() else { return try next() }
            values = lookUp.values
        }
        var entity = root
        if hasDiscriminator, case .text(let name) = values[1] { entity = name }
        guard let own = fields[entity] else {
            throw ExchangeError(
                "The row \(values[0]) of \(table) is of the entity \(entity), which the model does not have.")
        }
        switch dump.format {
        case .json:
            var text = JSONText()
            text.write(try object(values, entity, own))
            return text.bytes
        case .csv: return Array(try line(values, entity, own).utf8)
        case .sql: return Array(try statements(values, own).utf8)
        }
    }

    private func column(_ name: String, _ values: [SQLiteValue]) -> SQLiteValue {
        places[name].map { values[$0] } ?? .null
    }

    // MARK: Values

    private func value(_ attribute: StoredEntity.Attribute, _ values: [SQLiteValue]) throws -> ExchangedValue {
        let stored = column(attribute.column, values)
        guard case .blob(let bytes) = stored, attribute.type != .uuid else {
            return ExchangedValue(stored, attribute.type)
        }
        if let url = file.externalFile(of: bytes) {
            try Self.requireRead(bytes, url)
            switch dump.largeValues {
            case .inside: return .text(try Data(contentsOf: url, options: .alwaysMapped).base64EncodedString())
            case .beside(let folder):
                try Self.copy(url, into: folder)
                return .object([("file", .text(url.lastPathComponent))])
            }
        }
        let isTagged = bytes.starts(with: TaggedBlob.inlineTag) && TaggedBlob.isTagged(bytes)
        return .text((isTagged ? bytes.dropFirst(TaggedBlob.inlineTag.count) : bytes).base64EncodedString())
    }

    /// What a log has and nobody read is none of the store's values yet.
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
        try FileManager.default.copyItem(at: url, to: temporary)
        if rename(temporary.path, copy.path) != 0 {
            throw ExchangeError("The file \(copy.path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    private func reference(_ number: SQLiteValue, to entity: String) throws -> ExchangedValue {
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

    func references(
        of number: SQLiteValue, _ relationship: StoredEntity.Relationship, _ table: String, _ own: String,
        _ other: String, _ order: String?
    ) throws -> [SQLiteValue] {
        let columns = (order.map { [$0] } ?? []) + [other]
        let sql =
            "SELECT \(SQLQuotation.identifier(other)) FROM main.\(SQLQuotation.identifier(table)) "
            + "WHERE \(SQLQuotation.identifier(own)) = ?1 ORDER BY "
            + columns.map(SQLQuotation.identifier).joined(separator: ", ")
        let statement = try pairs[sql] ?? connection.prepare(sql)
        pairs[sql] = statement
        statement.reset()
        statement.bind([number])
        var result: [SQLiteValue] = []
        while try statement.step() { result += statement.values }
        return result
    }

    // MARK: JSON

    private func object(
        _ values: [SQLiteValue], _ entity: String, _ fields: [ExchangedVersion.Field]
    ) throws -> ExchangedValue {
        var result: [(String, ExchangedValue)] = [
            (ExchangedVersion.entityKey, .text(entity)),
            (ExchangedVersion.numberKey, ExchangedValue(values[0], .integer64)),
        ]
        for field in fields {
            switch field {
            case .value(let path, let attribute):
                Self.set(try value(attribute, values), attribute, path[...], in: &result)
            case .one(let relationship, let column, let order):
                result.append(
                    (relationship.name, try reference(self.column(column, values), to: relationship.destination)))
                if let order, !self.column(order, values).isNull {
                    result.append(
                        (
                            relationship.name + ExchangedVersion.orderSuffix,
                            ExchangedValue(self.column(order, values), .integer64)
                        ))
                }
            case .many(let relationship, let table, let own, let other, let order):
                let numbers = try references(of: values[0], relationship, table, own, other, order)
                result.append(
                    (relationship.name, .list(try numbers.map { try reference($0, to: relationship.destination) })))
            }
        }
        return .object(result)
    }

    /// Puts a value at its place within composites; one that is not there is null, whatever stands in its columns.
    private static func set(
        _ value: ExchangedValue, _ attribute: StoredEntity.Attribute, _ path: ArraySlice<String>,
        in object: inout [(String, ExchangedValue)]
    ) {
        guard let name = path.first else { return }
        let position = object.firstIndex { $0.0 == name }
        if path.count == 1 {
            // What says whether a composite is there.
            let isThere = attribute.type == nil && value != .null
            let new: ExchangedValue = attribute.type == nil ? (isThere ? .object([]) : .null) : value
            if let position {
                if attribute.type == nil, !isThere { object[position].1 = .null }
            } else {
                object.append((name, new))
            }
            return
        }
        var inner: [(String, ExchangedValue)] = []
        if let position {
            guard case .object(let known) = object[position].1 else { return }
            inner = known
        }
        set(value, attribute, path.dropFirst(), in: &inner)
        if let position { object[position].1 = .object(inner) } else { object.append((name, .object(inner))) }
    }

    // MARK: CSV

    /// The names of the fields.
    var header: String {
        var names = [ExchangedVersion.entityKey, ExchangedVersion.numberKey]
        for field in allFields {
            names.append(field.name)
            if case .one(let relationship, _, _?) = field {
                names.append(relationship.name + ExchangedVersion.orderSuffix)
            }
        }
        return names.map(CSVText.quoted).joined(separator: ",") + "\n"
    }

    private func line(_ values: [SQLiteValue], _ entity: String, _ fields: [ExchangedVersion.Field]) throws -> String {
        let own = Set(fields.map(\.key))
        var cells = [CSVText.quoted(entity), CSVText.field(ExchangedValue(values[0], .integer64))]
        for field in allFields {
            let isOwn = own.contains(field.key)
            switch field {
            case .value(_, let attribute): cells.append(isOwn ? CSVText.field(try value(attribute, values)) : "")
            case .one(let relationship, let column, let order):
                cells.append(
                    isOwn
                        ? CSVText.field(try reference(self.column(column, values), to: relationship.destination)) : "")
                if let order {
                    cells.append(isOwn ? CSVText.field(ExchangedValue(self.column(order, values), .integer64)) : "")
                }
            case .many(let relationship, let table, let own, let other, let order):
                let list = isOwn ? try references(of: values[0], relationship, table, own, other, order) : []
                cells.append(
                    isOwn ? CSVText.field(.list(try list.map { try reference($0, to: relationship.destination) })) : "")
            }
        }
        return cells.joined(separator: ",") + "\n"
    }
}
