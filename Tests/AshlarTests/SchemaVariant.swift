import AshlarSQLite
import Foundation
import RandomNumbers
import Testing

@_spi(Generated) @testable import Ashlar

/// The schema of the model as it might have been before indexes, deletion rules and defaults changed without a new
/// version: some objects are missing, some differ, and some are added.
struct SchemaVariant {
    let model: ModelDescription

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let current = TortureModel.modelDescription
        var dropped: Set<String> = []
        var schema: [String] = []
        for statement in current.schema {
            if statement.hasPrefix("CREATE TABLE") {
                schema.append(Self.changed(statement, &generator))
            } else if statement.hasPrefix("CREATE VIRTUAL") {
                let name = statement.split(separator: "\"")[1]
                if generator.oneIn(2) { dropped.insert("\"\(name)") } else { schema.append(statement) }
            } else if dropped.contains(where: { statement.contains($0) }) || generator.oneIn(3) {
                // An R-tree is dropped with its triggers. A single missing trigger is restored.
                continue
            } else if generator.oneIn(4), statement.hasPrefix("CREATE INDEX") {
                schema.append(statement.replacing("\")", with: "\" DESC)"))
            } else {
                schema.append(statement)
            }
        }
        schema.append("CREATE INDEX \"index$Label$gone\" ON \"Label\" (\"name\", \"version$\")")
        let versions = current.versions.map { version in
            var version = version
            version.schemaHash = "variant \(seed)"
            return version
        }
        model = ModelDescription(name: current.name, entities: current.entities, versions: versions, schema: schema)
    }

    private static func changed(_ statement: String, _ generator: inout SeededGenerator) -> String {
        statement.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = String(line)
            if generator.oneIn(3) {
                line = line.replacing("ON DELETE CASCADE", with: "ON DELETE SET NULL")
            } else if generator.oneIn(3) {
                line = line.replacing("ON DELETE SET NULL", with: "ON DELETE NO ACTION")
            } else if generator.oneIn(3), let reference = line.firstRange(of: " REFERENCES") {
                line = line[..<reference.lowerBound] + (line.hasSuffix(",") ? "," : "")
            }
            if generator.oneIn(3), line.contains("INTEGER NOT NULL DEFAULT 0") {
                line = line.replacing(" DEFAULT 0", with: generator.oneIn(2) ? "" : " DEFAULT 7")
            }
            if generator.oneIn(2) { line = line.replacing("TEXT NOT NULL DEFAULT ''", with: "TEXT NOT NULL") }
            if generator.oneIn(2), line.hasSuffix("\"name\" TEXT NOT NULL") { line += " DEFAULT 'nobody'" }
            return line
        }.joined(separator: "\n")
    }

    /// Makes a store of this schema with some rows, and deletes one, whose number must not be used again.
    func makeStore(at url: URL, rows: Int) throws {
        let opened = try StoreOpener(model: model, configuration: ModelConfiguration(url: url)).open()
        try opened.pool.write { connection in
            try connection.execute("BEGIN")
            for index in 0..<rows {
                try connection.execute("INSERT INTO \"Label\" (\"name\") VALUES ('label \(index)')")
            }
            try connection.execute("DELETE FROM \"Label\" WHERE \"id$\" = (SELECT max(\"id$\") FROM \"Label\")")
            try connection.execute("COMMIT")
        }
    }
}

/// All rows of a store's tables, and the marks of rowids that were used.
struct Snapshot: Equatable {
    var rows: [String: [[SQLiteValue]]] = [:]

    init(of url: URL) throws {
        let connection = try ForeignDatabase.connect(url)
        for (name, table) in try SchemaCatalogue(connection).tables where name != "ashlar$metadata" {
            let columns = table.columns.keys.sorted().map(\.quotedIdentifier).joined(separator: ", ")
            rows[name] = try connection.rows("SELECT \(columns) FROM \(name.quotedIdentifier) ORDER BY \(columns)")
        }
        rows["sqlite_sequence"] = try connection.rows(
            "SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name")
    }
}
