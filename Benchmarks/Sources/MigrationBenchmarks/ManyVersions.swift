@_spi(Generated) import Ashlar
import Foundation

/// A model with a hundred versions of one table, with a long text and twenty other columns. Columns are dropped, added,
/// renamed, and become required and optional again; an index comes and goes. The statements are those that the build
/// plans for such versions.
enum ManyVersions {
    private struct Column {
        var name: String
        var isRequired = false

        var definition: String { "\"\(name)\" TEXT" + (isRequired ? " NOT NULL DEFAULT 'none'" : "") }
    }

    private struct Version {
        var columns = [Column(name: "text")] + (0..<20).map { Column(name: "a\($0)") }
        var indexedColumn: String?

        var index: [String] {
            indexedColumn.map { ["CREATE INDEX \"index$Post$byLast\" ON \"Post\" (\"\($0)\")"] } ?? []
        }

        func table(_ name: String) -> String {
            let columns =
                [#""id$" INTEGER PRIMARY KEY AUTOINCREMENT"#, #""version$" INTEGER NOT NULL DEFAULT 1"#]
                + self.columns.map(\.definition)
            return "CREATE TABLE \"\(name)\" (\(columns.joined(separator: ", "))) STRICT"
        }
    }

    private static let metadata = """
        CREATE TABLE "ashlar$metadata" ("key" TEXT PRIMARY KEY NOT NULL, "value" ANY) STRICT, WITHOUT ROWID
        """

    private typealias Statement = ModelDescription.MigrationStatement

    private static let versions: [(version: Version, migration: [Statement])] = {
        var versions = [(version: Version(), migration: [Statement]())]
        for number in 1..<100 {
            let old = versions[number - 1].version
            var new = old
            var migration: [Statement] = []
            switch number % 5 {
            case 0:
                new.columns.append(Column(name: "b\(number)", isRequired: true))
                migration = [.addColumn(new.columns.last!.definition, to: "Post")]
            case 1:
                let name = new.columns.remove(at: 1).name
                migration = [.dropColumn(name, of: "Post")]
            case 2:
                new.columns[2].name = "r\(number)"
                migration = [.renameColumn(old.columns[2].name, of: "Post", to: "r\(number)")]
            case 3:
                new.columns[3].isRequired = true
                migration = copy(old, new)
            default:
                new.columns[4].isRequired = false
                if old.columns[4].isRequired { migration = copy(old, new) }
            }
            new.indexedColumn = number % 20 < 10 ? new.columns.last?.name : nil
            let isCopy = migration.count > 1
            if old.indexedColumn != new.indexedColumn || isCopy {
                if old.indexedColumn != nil { migration.insert(.dropIndex("index$Post$byLast"), at: 0) }
                migration += new.index.map { .createIndex("index$Post$byLast", on: "Post", $0) }
            }
            versions.append((new, migration))
        }
        return versions
    }()

    private static func copy(_ old: Version, _ new: Version) -> [Statement] {
        let values =
            ["\"id$\"", "\"version$\""]
            + zip(old.columns, new.columns).map { old, new in
                new.isRequired && !old.isRequired ? "coalesce(\"\(old.name)\", 'none')" : "\"\(old.name)\""
            }
        return [
            .createReplacement(of: "Post", new.table("Post$$new")),
            .copyRows(
                into: "Post$$new", from: "Post", columns: ["id$", "version$"] + new.columns.map(\.name), values: values),
            .dropTable("Post"), .replaceTable("Post"),
        ]
    }

    private static func description(_ count: Int) -> ModelDescription {
        let versions = versions.prefix(count)
        let last = versions[count - 1].version
        return ModelDescription(
            name: "ManyVersions", entities: [],
            versions: versions.enumerated().map { number, version in
                ModelDescription.Version(
                    name: "\(number)", versionHash: "\(number)", schemaHash: "\(number)",
                    entityHashes: "Post \(number)", migration: version.migration)
            },
            schema: [metadata, last.table("Post")] + last.index,
            firstSchema: [metadata, versions[0].version.table("Post")])
    }

    enum First: ManagedObjectModel {
        static let modelDescription = description(1)
    }

    enum Last: ManagedObjectModel {
        static let modelDescription = description(100)
    }

    /// The statements that a person writes, knowing that only the text remains of all columns: one copy, and the index.
    static let byHand =
        [
            versions[99].version.table("Post$$new"),
            "INSERT INTO \"Post$$new\" (\"id$\", \"version$\", \"text\") SELECT \"id$\", \"version$\", \"text\" FROM \"Post\"",
            "DROP TABLE \"Post\"", "ALTER TABLE \"Post$$new\" RENAME TO \"Post\"",
        ] + versions[99].version.index

    static func makeStore(at url: URL, rows: Int) throws {
        _ = try ModelContainer(for: First.self, at: url)
        let names = versions[0].version.columns.map { "\"\($0.name)\"" }
        let values =
            ["hex(zeroblob(200)) || i"]
            + (1..<names.count).map { "iif((i + \($0)) % 3, '\($0) of number ' || (i * 7919 % \(rows)), NULL)" }
        try Database(url).execute([
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO "Post" (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) FROM n
            """
        ])
    }
}
