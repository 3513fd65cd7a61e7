import Ashlar
import AshlarSQLite
import FileErrors
import Foundation
import SQLQuoting
import StoreChecking
import StoreDescription

/// Writes objects from a text into a store of Ashlar's, in one transaction: all of them, or none.
package final class StoreLoad {
    private let version: ExchangedVersion
    private let keys: ReferenceKeys
    let connection: Connection
    /// The folder of the files of large values that the text names.
    private let folder: URL?
    var count = 0
    /// The names of the fields of the object before, and the arrangements for such objects, by entity.
    private var names: [String] = []
    private var arrangements: [String: LoadArrangement] = [:]
    /// The arrangements for other names: entities of one table take turns, and a field may be there in some objects only.
    private var others: [[String]: [String: LoadArrangement]] = [:]
    /// The number of arrangements that were made. Making one takes as long as loading many objects.
    package private(set) var arrangementCount = 0
    private var values: [SQLiteValue] = []
    private let largeValues: LargeValueFiles?
    /// The column values in place of values with files, by their positions among the values.
    private var files: [(position: Int32, reference: Data)] = []
    /// The model's rules beyond those that the tables enforce; nil if they are not checked.
    private let rules: CheckedModel?
    /// The rows of the objects, by their tables.
    private var loaded: [String: LoadedRows] = [:]
    /// The relationships for which an object gave no position.
    var unordered: Set<OrderedColumn> = []
    /// The references to objects that come later; nil until there are any.
    var deferred: DeferredReferences?
    /// Those of the present object that columns have.
    private var waiting: [(reference: LoadedReference, column: String, wanted: SQLiteValue)] = []

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
        largeValues = LargeValueFiles(of: connection)
    }

    /// Loads objects.
    ///
    /// - Parameter entity: The entity of objects that do not name theirs.
    /// - Returns: The number of objects.
    /// - Throws: ``ExchangeError`` that names the first object that does not fit. Nothing is then stored.
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
            try resolveDeferred()
            try giveOrder()
            try checkRules()
            try largeValues?.synchronize()
            try commit()
        } catch {
            let isUndone = (try? connection.rollBack()) != nil
            largeValues?.rollBack(isCertain: isUndone)
            if let error = error as? ExternalDataError {
                throw ExchangeError("Nothing is loaded: \(error)")
            }
            throw error
        }
        largeValues?.finish(connection)
        return count
    }

    /// Members without a given position come after the others, in the order of their numbers.
    private func giveOrder() throws {
        for column in unordered.sorted(by: { ($0.table, $0.order) < ($1.table, $1.order) }) {
            try connection.execute(
                Mender.renumbering(
                    column.table, owner: column.owner, order: column.order, key: column.key, isMissingLast: true))
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
        let texts = try connection.foreignKeyViolations(limit: 5).map { row in
            // Pairs have no number.
            let one = row.rowID.map { "\(row.table) \($0)" } ?? "a pair of \(row.table)"
            return "\(one) refers to no object of \(row.parent)"
        }
        return texts.isEmpty ? "references lead nowhere" : texts.joined(separator: "; ")
    }

    func failure(_ text: String) -> ExchangeError { ExchangeError("Object \(count): \(text)") }

    private func insert(_ object: ExchangedObject, _ given: String?) throws {
        let arrangement = try arrangement(of: object, given)
        func isSaid(_ field: Int) -> Bool {
            !object.isLoose || object.values[field] != .null || !arrangement.isLeftToTheModel[field]
        }
        values.removeAll(keepingCapacity: true)
        files.removeAll()
        if !waiting.isEmpty { waiting.removeAll() }
        if let field = arrangement.numberField {
            guard case .integer(let identifier)? = object.values[field].stored(as: .integer64), identifier > 0 else {
                throw failure("its $id is not a number greater than 0.")
            }
            values.append(.integer(identifier))
        }
        var skipped: [Int] = []
        for (index, source) in arrangement.sources.enumerated() {
            if let value = try value(of: source, in: object, arrangement, isSaid) {
                values.append(value)
            } else {
                skipped.append(index)
            }
        }
        // A field that the entity does not have may be a mistake, and is refused.
        for field in arrangement.unknown where isSaid(field) {
            throw failure(version.reason(notToLoad: object.names[field], of: arrangement.entity))
        }
        let hasNumber = arrangement.numberField != nil
        do {
            try run(
                arrangement.statement(hasNumber: hasNumber, skipping: skipped), values, files: files,
                arrangement.entity)
        } catch let error as ExchangeError {
            // A required reference cannot wait for its object.
            guard
                let refused = waiting.first(where: {
                    error.description.contains("NOT NULL constraint failed: \(arrangement.table).\($0.column)")
                })
            else { throw error }
            throw failure(refused.reference.missing)
        }
        let identifier = connection.lastInsertedRowID
        for (reference, column, wanted) in waiting {
            try postpone(reference.name, row: identifier, wanted) {
                .column(
                    reference,
                    try connection.prepare(
                        "UPDATE \(SQLQuotation.identifier(arrangement.table)) SET \(SQLQuotation.identifier(column)) = ?1 "
                            + "WHERE \"id$\" = ?2"))
            }
        }
        if rules != nil { loaded[arrangement.table, default: LoadedRows()].add(identifier, object: count) }
        for inverse in arrangement.inverses where isSaid(inverse.field) {
            let wanted: SQLiteValue
            switch try inverse.reference.target(of: object.values[inverse.field], failure) {
            case .number(.null): continue
            case .number(let number):
                guard inverse.reference.isByNumber else {
                    try run(inverse.update, [.integer(identifier), number], arrangement.entity)
                    continue
                }
                wanted = number
            case .missing(let value): wanted = value
            }
            try postpone(inverse.reference.name, row: identifier, wanted) { .inverse(inverse) }
        }
        for pairs in arrangement.pairs where isSaid(pairs.field) {
            try insert(pairs, object.values[pairs.field], isLoose: object.isLoose, of: identifier, arrangement.entity)
        }
    }

    /// Returns the treatment of an object's fields.
    private func arrangement(of object: ExchangedObject, _ given: String?) throws -> LoadArrangement {
        if object.names != names {
            // A text in which no two objects are alike must not fill the memory.
            if others.count >= 1000 { others = [:] }
            others[names] = arrangements
            names = object.names
            arrangements = others.removeValue(forKey: names) ?? [:]
        }
        var name = given
        if let field = names.firstIndex(of: ExchangedVersion.entityKey), case .text(let own) = object.values[field] {
            name = own
        }
        guard let name else { throw failure("it does not name its entity. Name it with --entity.") }
        if let known = arrangements[name] { return known }
        guard let entity = version.entity(name) else { throw failure("there is no entity \(name).") }
        if entity.isAbstract { throw failure("\(name) is abstract.") }
        let arrangement = try LoadArrangement(name, names, version, keys, connection)
        arrangements[name] = arrangement
        arrangementCount += 1
        return arrangement
    }

    // MARK: Values

    /// The value of a column; nil if the object does not give one.
    private func value(
        of source: LoadArrangement.Source, in object: ExchangedObject, _ arrangement: LoadArrangement,
        _ isSaid: (Int) -> Bool
    ) throws -> SQLiteValue? {
        switch source {
        case .value(let field, let within, let attribute):
            guard isSaid(field) else { return nil }
            var value = object.values[field]
            for name in within {
                guard case .object(let inner) = value, let next = inner.first(where: { $0.0 == name }) else {
                    return nil
                }
                value = next.1
            }
            // A line has the name of a file as text.
            if object.isLoose, folder != nil, case .text(let text) = value, text.hasPrefix("{") {
                value = JSONParser.value(of: Array(text.utf8)) ?? value
            }
            let result = try stored(value, attribute, arrangement.entity)
            guard attribute.isExternal, case .blob(let bytes) = result, let reference = try largeValues?.write(bytes)
            else { return result }
            files.append((Int32(values.count + 1), reference))
            return .null
        case .one(let field, let reference, let column, let unordered):
            guard isSaid(field) else { return nil }
            var number = SQLiteValue.null
            switch try reference.target(of: object.values[field], failure) {
            case .number(let found): number = found
            case .missing(let wanted):
                waiting.append((reference, column, wanted))
                if let unordered, unordered.field.map(isSaid) != true { self.unordered.insert(unordered.column) }
            }
            if let unordered, number != .null, unordered.field.map(isSaid) != true {
                self.unordered.insert(unordered.column)
            }
            return number
        case .position(let field, let relationship):
            guard isSaid(field) else { return nil }
            guard let position = object.values[field].stored(as: .integer64) else {
                throw failure("\(arrangement.entity).\(relationship)\(ExchangedVersion.orderSuffix) is not a number.")
            }
            return position
        }
    }

    private func stored(
        _ value: ExchangedValue, _ attribute: StoredEntity.Attribute, _ entity: String
    ) throws -> SQLiteValue {
        if case .object(let inner) = value {
            if attribute.type == nil { return .integer(1) }
            if let folder, inner.count == 1, inner[0].0 == "file", case .text(let name) = inner[0].1 {
                // A name that a dump gave, and no path to anywhere.
                guard UUID(uuidString: name)?.uuidString == name else {
                    throw failure("\(name) is not the name of a file of a dump.")
                }
                let file = folder.appendingPathComponent(name)
                do {
                    return .blob(try RegularFile.bytes(atPath: file.path))
                } catch {
                    throw failure(
                        "\(entity).\(attribute.keyPath): \(file.path) cannot be read: \(FileErrorReason.text(error)).")
                }
            }
        }
        guard let result = value.stored(as: attribute.type) else {
            throw failure("\(entity).\(attribute.keyPath) has no value of its type.")
        }
        return result
    }

    func run(
        _ statement: Statement, _ values: [SQLiteValue], files: [(position: Int32, reference: Data)] = [],
        _ entity: String
    ) throws {
        do {
            statement.reset()
            statement.bind(values)
            for file in files { file.reference.withUnsafeBytes { statement.bindBytes($0, file.position) } }
            while try statement.step() {}
        } catch {
            guard error.code == SQLITE_CONSTRAINT || error.code == SQLITE_MISMATCH else { throw error }
            throw failure("\(entity) does not allow it (\(error.message)).")
        }
    }
}
