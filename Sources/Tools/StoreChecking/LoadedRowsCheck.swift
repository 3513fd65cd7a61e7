import Ashlar
import AshlarSQLite
import RelationalSchema

/// The numbers of rows of a table that were just written, each of an object of a text.
package struct LoadedRows: Sendable {
    private struct Run {
        var first: Int64
        var last: Int64
        var object: Int
    }

    /// Rows that follow each other as their objects do are one.
    private var runs: [Run] = []

    package init() {}

    package mutating func add(_ row: Int64, object: Int) {
        if let last = runs.last, last.last &+ 1 == row, last.object + Int(row - last.first) == object {
            runs[runs.count - 1].last = row
        } else {
            runs.append(Run(first: row, last: row, object: object))
        }
    }

    /// Makes lookups possible, after all rows were added.
    package mutating func finish() { runs.sort { $0.first < $1.first } }

    var bounds: ClosedRange<Int64>? {
        guard let first = runs.first, let last = runs.last else { return nil }
        return first.first...last.last
    }

    /// The number of the object of a row; nil for another row.
    ///
    /// Complexity: O(log *n*) in the number of runs.
    func object(of row: Int64) -> Int? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].last < row { low = middle + 1 } else { high = middle }
        }
        guard low < runs.count, runs[low].first <= row else { return nil }
        return runs[low].object + Int(row - runs[low].first)
    }
}

/// Checks that rows that were just written follow the model, where the tables do not enforce it themselves.
package struct LoadedRowsCheck {
    /// A problem of an object.
    package struct Problem: Sendable {
        /// The number of the object in the text; nil of one that was there before, and that an object belongs to.
        package var object: Int?
        package var finding: StoreFinding
    }

    private static let kinds: Set<StoreFinding.Kind> = [
        .missingValue, .outOfRange, .belowMinimum, .aboveMaximum, .tooShort, .tooLong, .patternMismatch,
        .incompleteComposite,
    ]
    private let model: CheckedModel
    private let connection: Connection

    package init(_ model: CheckedModel, _ connection: Connection) {
        (self.model, self.connection) = (model, connection)
    }

    /// The first problem; nil if there is none. The caller has a transaction.
    package func firstProblem(in rows: [String: LoadedRows]) throws -> Problem? {
        guard let metadata = try StoreMetadata(connection) else { return nil }
        let store = CheckedStore(model, connection, path: "", metadata, files: [], isLocked: true)
        store.scope = rows
        store.usableTables = Set(model.schema.tables.map(\.name))
        try CheckFunctions.add(to: connection)
        for (table, loaded) in rows.sorted(by: { $0.key < $1.key }) {
            if let problem = try firstValue(table, loaded, store) { return problem }
        }
        try ReferenceCheck().run(store)
        guard let finding = store.findings.first else { return nil }
        let object = finding.rows.first.flatMap { row in finding.table.flatMap { rows[$0]?.object(of: row) } }
        return Problem(object: object, finding: finding)
    }

    private func firstValue(_ name: String, _ loaded: LoadedRows, _ store: CheckedStore) throws -> Problem? {
        guard let table = model.schema.tables.first(where: { $0.name == name }),
            case .objects(let root) = table.content,
            let storage = model.schema.storage(ofEntityNamed: root)
        else { return nil }
        let rules = ValueRules(store, storage, table).all.filter { Self.kinds.contains($0.finding.kind) }
        let number = "t.\(SQLText.identifier(ColumnName.identifier))"
        for start in stride(from: 0, to: rules.count, by: ValueCheck.rulesPerQuery) {
            let part = Array(rules[start..<min(rules.count, start + ValueCheck.rulesPerQuery)])
            let statement = try connection.prepare(ValueCheck.query(part, name, in: store.isInScope(number, of: name)))
            while try statement.step() {
                guard let row = statement.int64(0), let object = loaded.object(of: row),
                    let index = part.indices.first(where: { statement.int64(Int32($0 + 1)) == 1 })
                else { continue }
                return Problem(object: object, finding: part[index].finding)
            }
        }
        return nil
    }
}
