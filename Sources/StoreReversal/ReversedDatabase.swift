import Ashlar
import AshlarSQLite
import Foundation
import StoreExchange

/// A database without a model: the model that is found in it, and its rows as objects of that.
package final class ReversedDatabase {
    package let model: ReversedModel
    private let connection: Connection
    private let file: UnchangedFile

    /// Looks for a model in a file, of which nothing changes.
    ///
    /// - Throws: `StoreError` where it cannot be read.
    package init(_ url: URL) throws {
        file = try UnchangedFile(url, copyingInto: FileManager.default.temporaryDirectory)
        do {
            connection = try file.connect()
            // All that is read is of one moment.
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
    private var pairs: [Int: Statement] = [:]

    init(_ model: ReversedModel, _ connection: Connection, _ file: UnchangedFile) {
        (self.model, self.connection, self.file) = (model, connection, file)
    }

    package mutating func next() throws -> [String: ExchangedField]? {
        while true {
            if let rows, try rows.step() { return try object(rows.values) }
            position += 1
            guard position < model.entities.count else { return nil }
            let entity = model.entities[position]
            let list = [entity.identifier] + entity.attributes.map(\.sql) + entity.relationships.compactMap(\.sql)
            rows = try connection.prepare("SELECT \(list.joined(separator: ", ")) FROM \(entity.source) ORDER BY 1")
            pairs = [:]
            for (index, relationship) in entity.relationships.enumerated() {
                if let sql = relationship.pairs { pairs[index] = try connection.prepare(sql) }
            }
        }
    }

    private func object(_ values: [SQLiteValue]) throws -> [String: ExchangedField] {
        let entity = model.entities[position]
        var result = [
            ExchangedVersion.entityKey: ExchangedField(text: entity.name),
            ExchangedVersion.numberKey: ExchangedField(values[0], isBoolean: false),
        ]
        for (attribute, value) in zip(entity.attributes, values.dropFirst()) {
            result[attribute.name] = ExchangedField(value, isBoolean: attribute.type == "Boolean")
        }
        let references = entity.relationships.filter { $0.sql != nil }
        for (relationship, value) in zip(references, values.dropFirst(1 + entity.attributes.count)) {
            result[relationship.name] = ExchangedField(value, isBoolean: false)
        }
        for (index, relationship) in entity.relationships.enumerated() {
            guard let statement = pairs[index] else { continue }
            statement.reset()
            statement.bind([values[0]])
            var numbers: [SQLiteValue] = []
            while try statement.step() { numbers += statement.values }
            result[relationship.name] = ExchangedField(list: numbers)
        }
        return result
    }
}
