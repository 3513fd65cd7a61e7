import Ashlar
import AshlarSQLite
import Foundation
import StoreExchange

/// A database without a model: the model that is found in it, and its rows as objects of that.
package final class ReversedDatabase {
    package let model: ReversedModel
    private let connection: Connection
    private let file: UnchangedFile

    /// Finds the model of a file without changing the file.
    ///
    /// - Throws: `StoreError` where it cannot be read.
    package init(_ url: URL) throws {
        file = try UnchangedFile(url, copyingInto: FileManager.default.temporaryDirectory)
        do {
            connection = try file.connect()
            // Everything is read as it is at one moment.
            try connection.execute("BEGIN")
            model = try ModelReversal(connection).result
            try file.requireUnchanged(doing: "reading the database")
        } catch let error as SQLiteError {
            try file.requireWhole()
            throw StoreError(error, url, doing: "reading the database")
        }
    }

    /// The rows as objects, one after the other.
    package var objects: ReversedObjects { ReversedObjects(model, connection, file) }
}

/// The rows of a database as objects of the model that was found in it.
package struct ReversedObjects: ExchangedObjects {
    private let model: ReversedModel
    private let connection: Connection
    private let file: UnchangedFile
    private var position = -1
    private var rows: Statement?
    /// Those of the entity's relationships that tables of pairs keep.
    private var pairs: [ReversedPairs] = []
    /// The names of the entity's fields.
    private var names: [String] = []

    init(_ model: ReversedModel, _ connection: Connection, _ file: UnchangedFile) {
        (self.model, self.connection, self.file) = (model, connection, file)
    }

    package mutating func next() throws -> ExchangedObject? {
        while true {
            if let rows, try rows.step() { return try object(rows) }
            position += 1
            guard position < model.entities.count else { return nil }
            let entity = model.entities[position]
            let list = [entity.identifier] + entity.attributes.map(\.sql) + entity.relationships.compactMap(\.sql)
            rows = try connection.prepare("SELECT \(list.joined(separator: ", ")) FROM \(entity.source) ORDER BY 1")
            pairs = []
            names = [ExchangedVersion.entityKey, ExchangedVersion.numberKey] + entity.attributes.map(\.name)
            names += entity.relationships.filter { $0.sql != nil }.map(\.name)
            for relationship in entity.relationships {
                guard let sql = relationship.pairs else { continue }
                pairs.append(ReversedPairs(try connection.prepare(sql)))
                names.append(relationship.name)
            }
        }
    }

    private mutating func object(_ row: Statement) throws -> ExchangedObject {
        let entity = model.entities[position]
        var result: [ExchangedValue] = [.text(entity.name)]
        // The number, attributes, and references by a column.
        for column in 0..<row.columnCount {
            if case .text(let bytes) = row.lent(column), String(validating: bytes, as: UTF8.self) == nil {
                throw ExchangeError(
                    "The row \(row.integer(0)) of \(entity.table) has a text that is not valid UTF-8, which no store has. Correct it first."
                )
            }
            let attribute =
                entity.attributes.indices.contains(Int(column) - 1) ? entity.attributes[Int(column) - 1] : nil
            result.append(
                ExchangedValue(SQLiteValue(column, of: row.handle), isBoolean: attribute?.type == "Boolean"))
        }
        for index in pairs.indices {
            result.append(.list(try pairs[index].numbers(of: row.integer(0)).map { .integer($0) }))
        }
        return ExchangedObject(names: names, values: result)
    }
}

/// The rows of a table of pairs in the order of the objects. Each object is requested once.
private struct ReversedPairs {
    private let statement: Statement
    private var isBegun = false
    /// The pair that was read last; nil at the end.
    private var next: (own: Int64, other: Int64)?

    init(_ statement: Statement) { self.statement = statement }

    /// The numbers that are paired with an object's number, which must be greater than those requested before.
    mutating func numbers(of own: Int64) throws -> [Int64] {
        if !isBegun {
            isBegun = true
            try advance()
        }
        var result: [Int64] = []
        while let pair = next, pair.own <= own {
            if pair.own == own { result.append(pair.other) }
            try advance()
        }
        return result
    }

    private mutating func advance() throws {
        next = try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
    }
}
