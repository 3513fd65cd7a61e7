import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting
import StoreChecking
import StoreDescription

/// Writes objects from a text into a store of ours, in one transaction: all of them, or none.
package final class StoreLoad {
    private let version: ExchangedVersion
    private let keys: ReferenceKeys
    private let connection: Connection
    /// Where the files of large values are that the text names.
    private let folder: URL?
    private var statements: [String: Statement] = [:]
    private var fields: [String: [ExchangedVersion.Field]] = [:]
    private var count = 0
    /// What the model promises beyond what the tables refuse by themselves; nil where that is not looked at.
    private let rules: CheckedModel?
    /// The rows of the objects, by their tables.
    private var loaded: [String: LoadedRows] = [:]
    /// The references of ordered relationships of which an object did not say its position.
    private var unordered: Set<OrderedColumn> = []

    private struct OrderedColumn: Hashable {
        var table: String
        var owner: String
        var order: String
    }

    /// Opens a store of a version to write it.
    ///
    /// - Throws: ``ExchangeError`` for a key of an entity or attribute that there is not, `SQLiteError`.
    package init(
        _ version: ExchangedVersion, at url: URL, keys: ReferenceKeys = ReferenceKeys(), folder: URL? = nil,
        rules: CheckedModel? = nil
    ) throws {
        self.rules = rules
        try keys.check(version)
        self.version = version
        self.keys = keys
        self.folder = folder
        connection = try Connection(toWrite: url)
    }

    /// Loads objects.
    ///
    /// - Parameter entity: The entity of objects that do not say theirs.
    /// - Returns: How many objects there were.
    /// - Throws: ``ExchangeError`` that names the object where one does not fit. Nothing is in the store then.
    package func run(
        _ objects: inout some ExchangedObjects, entity: String?, progress: (Int) throws -> Void = { _ in }
    ) throws -> Int {
        try connection.execute("PRAGMA foreign_keys = ON")
        try connection.execute("BEGIN IMMEDIATE")
        do {
            while let object = try objects.next() {
                count += 1
                try insert(object, entity)
                if count & 1023 == 0 { try progress(count) }
            }
            try giveOrder()
            try checkRules()
            try commit()
        } catch {
            try? connection.rollBack()
            throw error
        }
        return count
    }

    /// Members whose position nobody said are behind the others, in the order of their numbers.
    private func giveOrder() throws {
        for column in unordered.sorted(by: { ($0.table, $0.order) < ($1.table, $1.order) }) {
            try connection.execute(
                Mender.renumbering(
                    column.table, owner: column.owner, order: column.order, key: ["id$"], isMissingLast: true))
        }
    }

    private func checkRules() throws {
        guard let rules, count > 0 else { return }
        for table in loaded.keys { loaded[table]?.finish() }
        guard let problem = try LoadedRowsCheck(rules, connection).firstProblem(in: loaded) else { return }
        let finding = problem.finding
        let place = [finding.entity, finding.property].compactMap(\.self).joined(separator: ".")
        let rows = finding.rows.map(String.init).joined(separator: ", ")
        throw ExchangeError(
            (problem.object.map { "Object \($0)" } ?? "The object \(rows)") + ": \(place): \(finding.text)")
    }

    private func commit() throws {
        do {
            try connection.execute("COMMIT")
        } catch {
            if error.code != SQLITE_CONSTRAINT { throw error }
            throw ExchangeError("Not loaded: \(try danglingReferences()).")
        }
    }

    private func danglingReferences() throws -> String {
        let rows = try connection.rows(
            "SELECT \"table\", \"rowid\", \"parent\" FROM pragma_foreign_key_check LIMIT 5")
        let texts = rows.map { row in
            "\(DumpedRows.literal(row[0])) \(DumpedRows.literal(row[1])) refers to no object of \(DumpedRows.literal(row[2]))"
        }
        return texts.isEmpty ? "references lead nowhere" : texts.joined(separator: "; ")
    }

    private func failure(_ text: String) -> ExchangeError { ExchangeError("Object \(count): \(text)") }

    private func insert(_ object: [String: ExchangedField], _ given: String?) throws {
        var object = object
        var name = given
        if case .text(let own)? = object.removeValue(forKey: ExchangedVersion.entityKey)?.value { name = own }
        guard let name else { throw failure("it does not say of which entity it is. Say it with --entity.") }
        guard let entity = version.entity(name) else { throw failure("there is no entity \(name).") }
        if entity.isAbstract { throw failure("\(name) is abstract.") }
        var columns: [String] = []
        var values: [SQLiteValue] = []
        if let number = object.removeValue(forKey: ExchangedVersion.numberKey) {
            guard case .integer(let identifier)? = number.value.stored(as: .integer64), identifier > 0 else {
                throw failure("its $id is no number greater than 0.")
            }
            columns.append("id$")
            values.append(.integer(identifier))
        }
        if entity.parent != nil {
            columns.append("entity$")
            values.append(.text(name))
        }
        let own = fields[name] ?? version.fields(of: name, isRead: true)
        fields[name] = own
        leaveToTheModel(&object, own)
        for field in own {
            switch field {
            case .value(let path, let attribute):
                guard let found = try value(at: path, in: object, attribute, name) else { continue }
                columns.append(attribute.column)
                values.append(found)
            case .one(let relationship, let column, let order):
                if let found = object[relationship.name] {
                    columns.append(column)
                    values.append(try reference(found.value, relationship, name))
                    if let order, values.last != .null, object[relationship.name + ExchangedVersion.orderSuffix] == nil
                    {
                        let table = version.line(name).first?.table ?? name
                        unordered.insert(OrderedColumn(table: table, owner: column, order: order))
                    }
                }
                if let order, let found = object[relationship.name + ExchangedVersion.orderSuffix] {
                    guard let position = found.value.stored(as: .integer64) else {
                        throw failure("\(name).\(relationship.name)\(ExchangedVersion.orderSuffix) is no number.")
                    }
                    columns.append(order)
                    values.append(position)
                }
            case .many: break
            }
        }
        try checkNames(of: object, own, name)
        let table = version.line(name).first?.table ?? name
        let list = columns.map(SQLQuotation.identifier).joined(separator: ", ")
        let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let quoted = SQLQuotation.identifier(table)
        try run(
            columns.isEmpty
                ? "INSERT INTO \(quoted) DEFAULT VALUES" : "INSERT INTO \(quoted) (\(list)) VALUES (\(places))", values,
            name)
        let identifier = connection.lastInsertedRowID
        if rules != nil { loaded[table, default: LoadedRows()].add(identifier, object: count) }
        for case .many(let relationship, let table, let own, let other, let order) in own {
            guard let found = object[relationship.name] else { continue }
            try insertPairs(found, relationship, of: identifier, table, own, other, order, name)
        }
    }

    /// Takes the empty fields of a line out that say nothing of the object: those that other entities have, and those of
    /// attributes that have no nil, for which the model may have a default.
    private func leaveToTheModel(_ object: inout [String: ExchangedField], _ fields: [ExchangedVersion.Field]) {
        var optional: Set<String> = []
        for case .value(_, let attribute) in fields where attribute.isOptional || attribute.type == nil {
            optional.insert(attribute.keyPath)
        }
        object = object.filter { name, field in
            !(field.isLoose && field.value == .null) || optional.contains(name)
        }
    }

    /// What an object says that its entity does not know is no slip to pass over.
    private func checkNames(
        of object: [String: ExchangedField], _ fields: [ExchangedVersion.Field], _ entity: String
    ) throws {
        var known: Set<String> = []
        for field in fields {
            known.insert(field.name)
            switch field {
            case .value(let path, _): if let first = path.first { known.insert(first) }
            case .one(let relationship, _, _?): known.insert(relationship.name + ExchangedVersion.orderSuffix)
            default: break
            }
        }
        for key in object.keys.sorted() where !known.contains(key) {
            throw failure("\(entity) has no property \(key).")
        }
    }

    private func value(
        at path: [String], in object: [String: ExchangedField], _ attribute: StoredEntity.Attribute, _ entity: String
    ) throws -> SQLiteValue? {
        let isPresence = attribute.type == nil
        if let field = object[path.joined(separator: ".")] {
            var value = field.value
            // A line has the name of a file as text.
            if field.isLoose, folder != nil, case .text(let text) = value, text.hasPrefix("{") {
                var parser = JSONParser(Array(text.utf8)[...])
                value = parser.parse() ?? value
            }
            return try stored(value, attribute, entity, isPresence)
        }
        guard var current = object[path[0]]?.value else { return nil }
        for name in path.dropFirst() {
            guard case .object(let inner) = current else { return nil }
            guard let next = inner.first(where: { $0.0 == name }) else { return nil }
            current = next.1
        }
        return try stored(current, attribute, entity, isPresence)
    }

    private func stored(
        _ value: ExchangedValue, _ attribute: StoredEntity.Attribute, _ entity: String, _ isPresence: Bool
    ) throws -> SQLiteValue {
        if isPresence, case .object = value { return .integer(1) }
        if case .object(let inner) = value, let folder, inner.count == 1, inner[0].0 == "file",
            case .text(let name) = inner[0].1
        {
            // A name that a dump gave, and no path to anywhere.
            guard UUID(uuidString: name)?.uuidString == name else {
                throw failure("\(name) is no name of a file of a dump.")
            }
            return .blob(try Data(contentsOf: folder.appendingPathComponent(name)))
        }
        guard let result = value.stored(as: attribute.type) else {
            throw failure("\(entity).\(attribute.keyPath) has no value of its type.")
        }
        return result
    }

    // MARK: References

    private func reference(
        _ value: ExchangedValue, _ relationship: StoredEntity.Relationship, _ entity: String
    ) throws -> SQLiteValue {
        if value == .null { return .null }
        guard let attribute = keys.attribute(for: relationship.destination, version),
            let table = version.line(relationship.destination).first?.table
        else {
            guard let number = value.stored(as: .integer64) else {
                throw failure("\(entity).\(relationship.name) is no number of an object.")
            }
            return number
        }
        guard let key = value.stored(as: attribute.type) else {
            throw failure(
                "\(entity).\(relationship.name) is no value of \(relationship.destination).\(attribute.keyPath).")
        }
        let condition = try DumpedRows.condition(relationship.destination, version)
        let found = try rows(
            "SELECT \"id$\" FROM (SELECT \"id$\", \(SQLQuotation.identifier(attribute.column)) FROM \(SQLQuotation.identifier(table))\(condition)) "
                + "WHERE \(SQLQuotation.identifier(attribute.column)) = ?1 LIMIT 2",
            [key])
        guard found.count == 1 else {
            throw failure(
                "\(found.isEmpty ? "no object" : "more than one object") of \(relationship.destination) has the "
                    + "\(attribute.keyPath) that \(entity).\(relationship.name) names.")
        }
        return found[0][0]
    }

    private func insertPairs(
        _ field: ExchangedField, _ relationship: StoredEntity.Relationship, of identifier: Int64, _ table: String,
        _ own: String, _ other: String, _ order: String?, _ entity: String
    ) throws {
        var value = field.value
        if field.isLoose, case .text(let text) = value {
            var parser = JSONParser(Array(text.utf8)[...])
            value = parser.parse() ?? .null
        }
        if value == .null { return }
        guard case .list(let list) = value else { throw failure("\(entity).\(relationship.name) is no list.") }
        let columns = ([own, other] + (order.map { [$0] } ?? [])).map(SQLQuotation.identifier)
        // The other side may have said it before, and does not know this side's order.
        let conflict = order.map {
            "UPDATE SET \(SQLQuotation.identifier($0)) = excluded.\(SQLQuotation.identifier($0))"
        }
        let sql =
            "INSERT INTO \(SQLQuotation.identifier(table)) (\(columns.joined(separator: ", "))) "
            + "VALUES (?1, ?2\(order == nil ? "" : ", ?3")) ON CONFLICT (\(columns[0]), \(columns[1])) DO \(conflict ?? "NOTHING")"
        // Said from one side, it holds from the other too.
        let back =
            "INSERT INTO \(SQLQuotation.identifier(table)) (\(columns.joined(separator: ", "))) "
            + "VALUES (?1, ?2\(order == nil ? "" : ", ?3")) ON CONFLICT (\(columns[0]), \(columns[1])) DO NOTHING"
        let isOwnInverse = version.isOwnInverse(relationship)
        for (position, element) in list.enumerated() {
            let target = try reference(element, relationship, entity)
            try run(sql, [.integer(identifier), target] + (order == nil ? [] : [.integer(Int64(position))]), entity)
            if isOwnInverse {
                try run(back, [target, .integer(identifier)] + (order == nil ? [] : [.integer(Int64(count))]), entity)
            }
        }
    }

    // MARK: Statements

    private func run(_ sql: String, _ values: [SQLiteValue], _ entity: String) throws {
        do {
            let statement = try statements[sql] ?? connection.prepare(sql)
            statements[sql] = statement
            statement.reset()
            statement.bind(values)
            while try statement.step() {}
        } catch let error as SQLiteError where error.code == SQLITE_CONSTRAINT || error.code == SQLITE_MISMATCH {
            throw failure("\(entity) does not allow it (\(error.message)).")
        }
    }

    private func rows(_ sql: String, _ values: [SQLiteValue]) throws -> [[SQLiteValue]] {
        let statement = try statements[sql] ?? connection.prepare(sql)
        statements[sql] = statement
        statement.reset()
        statement.bind(values)
        var result: [[SQLiteValue]] = []
        while try statement.step() { result.append(statement.values) }
        return result
    }
}
