import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting
import StoreDescription

/// Writes the objects of a store as text, one after the other, so that the memory that it takes does not grow with them.
package struct StoreDump {
    /// The output format.
    package enum Format: String, Sendable, CaseIterable {
        /// An array of objects, one in a line.
        case json
        /// A line for an object, with the names of the fields in the first.
        case csv
        /// Statements for rows and pairs.
        case sql
    }

    /// The treatment of values in files beside the store.
    package enum LargeValues: Sendable {
        /// They are written among the others.
        case inside
        /// They become files of this folder, and their names are written among the others.
        case beside(URL)
    }

    let version: ExchangedVersion
    let format: Format
    let keys: ReferenceKeys
    let largeValues: LargeValues

    /// Makes a dump of a version in a format.
    ///
    /// - Throws: ``ExchangeError`` for a key of an entity or attribute that does not exist.
    package init(
        _ version: ExchangedVersion, as format: Format, keys: ReferenceKeys = ReferenceKeys(),
        largeValues: LargeValues = .inside
    ) throws {
        self.version = version
        self.format = format
        self.keys = keys
        self.largeValues = largeValues
        try keys.check(version)
    }

    /// The objects of an entity that are written.
    package struct Selection {
        package var entity: String
        /// Selects the numbers of the objects; nil for all.
        package var identifiers: BoundStatement?

        package init(entity: String, identifiers: BoundStatement? = nil) {
            self.entity = entity
            self.identifiers = identifiers
        }
    }

    /// Writes objects.
    ///
    /// - Parameters:
    ///   - write: Receives one part of the text at a time.
    ///   - progress: Receives the number of objects that were written, and the number of all objects.
    /// - Returns: The number of objects that were written.
    /// - Throws: ``ExchangeError``, `SQLiteError`, errors of the file system, and the errors of the closures.
    @discardableResult
    package func run(
        _ selections: [Selection], from file: UnchangedFile, write: ([UInt8]) throws -> Void,
        progress: (_ done: Int64, _ all: Int64) throws -> Void = { _, _ in }
    ) throws -> Int64 {
        let connection = try file.connect()
        // Everything is read as it is at one moment.
        try connection.execute("BEGIN")
        try requireUniqueKeys(connection)
        var all: Int64 = 0
        for selection in selections { all += try count(selection, connection) }
        if format == .csv, selections.count != 1 {
            throw ExchangeError("CSV has one entity only, as all lines have the same fields. Name it, or write JSON.")
        }
        let done = try self.write(selections, all, from: file, connection, write, progress)
        try progress(all, all)
        return done
    }

    /// Refuses an attribute that does not identify an object.
    private func requireUniqueKeys(_ connection: Connection) throws {
        for entity in keys.entityNames {
            guard let attribute = keys.attribute(for: entity, version), let table = version.line(entity).first?.table
            else { continue }
            let column = SQLQuotation.identifier(attribute.column)
            let condition = try DumpedRows.condition(entity, version)
            let doubled = try connection.rows(
                "SELECT min(\"id$\"), max(\"id$\") FROM (SELECT \"id$\", \(column) FROM main.\(SQLQuotation.identifier(table))\(condition)) "
                    + "WHERE \(column) IS NOT NULL GROUP BY \(column) HAVING count(*) > 1 LIMIT 1")
            guard case .integer(let first)? = doubled.first?.first, case .integer(let second)? = doubled.first?.last
            else { continue }
            throw ExchangeError(
                "The objects \(first) and \(second) of \(entity) have the same \(attribute.keyPath), so a reference by it would "
                    + "be ambiguous. Refer to them by an attribute that is unique, or by their numbers.")
        }
    }

    /// So many bytes are written at once, as a write for each object would take longer than all else.
    private static let writtenLength = 1 << 16

    private func write(
        _ selections: [Selection], _ all: Int64, from file: UnchangedFile, _ connection: Connection,
        _ write: ([UInt8]) throws -> Void, _ progress: (_ done: Int64, _ all: Int64) throws -> Void
    ) throws -> Int64 {
        var text = TextBytes()
        if format == .json { text.write("[") }
        // One transaction: references may lead to later objects.
        if format == .sql { text.write("BEGIN;\nPRAGMA defer_foreign_keys = ON;\n") }
        var done: Int64 = 0
        for selection in selections {
            let rows = try DumpedRows(selection, of: self, file, connection)
            if format == .csv { rows.writeHeader(to: &text) }
            while try rows.advance() {
                if format == .json { text.write(done == 0 ? "\n" : ",\n") }
                try rows.write(to: &text)
                if text.count > Self.writtenLength {
                    try write(text.bytes)
                    text.removeAll()
                }
                done += 1
                if done & 1023 == 0 { try progress(done, all) }
            }
        }
        try file.requireUnchanged(doing: "writing its objects")
        if format == .json { text.write("\n]\n") }
        if format == .sql { text.write("COMMIT;\n") }
        try write(text.bytes)
        return done
    }

    private func count(_ selection: Selection, _ connection: Connection) throws -> Int64 {
        if let identifiers = selection.identifiers {
            let counted = identifiers.counted
            return try connection.integer(counted.text, counted.values) ?? 0
        }
        guard let root = version.line(selection.entity).first else { return 0 }
        let condition = try DumpedRows.condition(selection.entity, version)
        return try connection.integer(
            "SELECT count(*) FROM main.\(SQLQuotation.identifier(root.table))\(condition)") ?? 0
    }
}
