@_spi(Generated) import Ashlar
import Foundation

/// A model of one table with two indexes, whose second version is made in place or by a copy. It is written by hand,
/// because only the runtime's work with the statements is measured.
enum Library {
    static func table(_ name: String) -> String {
        """
        CREATE TABLE "\(name)" (
            "id$" INTEGER PRIMARY KEY AUTOINCREMENT,
            "version$" INTEGER NOT NULL DEFAULT 1,
            "title" TEXT NOT NULL,
            "text" TEXT,
            "pages" INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """
    }

    static let indexes = [
        #"CREATE INDEX "index$Book$byTitle" ON "Book" ("title")"#,
        #"CREATE INDEX "index$Book$byPages" ON "Book" ("pages")"#,
    ]

    private static let metadata = """
        CREATE TABLE "ashlar$metadata" ("key" TEXT PRIMARY KEY NOT NULL, "value" ANY) STRICT, WITHOUT ROWID
        """

    private static func version(
        _ name: String, _ migration: [ModelDescription.MigrationStatement] = []
    ) -> ModelDescription.Version {
        ModelDescription.Version(
            name: name, versionHash: name, schemaHash: name, entityHashes: "Book \(name)", migration: migration)
    }

    enum First: ManagedObjectModel {
        static let modelDescription = ModelDescription(
            name: "Library", entities: [], versions: [version("first")],
            schema: [metadata, table("Book")] + indexes)
    }

    /// A change that SQLite makes in place.
    enum InPlace: ManagedObjectModel {
        static let modelDescription = ModelDescription(
            name: "Library", entities: [],
            versions: [
                version("first"),
                version(
                    "in place",
                    [
                        .renameTable("Book", to: "Volume"), .renameColumn("pages", of: "Volume", to: "length"),
                        .createTable("Reader", #"CREATE TABLE "Reader" ("id$" INTEGER PRIMARY KEY) STRICT"#),
                    ]),
            ],
            schema: [
                metadata,
                table("Volume").replacing(#""pages""#, with: #""length""#),
                #"CREATE TABLE "Reader" ("id$" INTEGER PRIMARY KEY) STRICT"#,
                #"CREATE INDEX "index$Book$byTitle" ON "Volume" ("title")"#,
                #"CREATE INDEX "index$Book$byPages" ON "Volume" ("length")"#,
            ], firstSchema: First.modelDescription.schema)
    }

    /// One more column. SQLite adds it in place, except that it reads the rows of STRICT tables.
    enum Addition: ManagedObjectModel {
        static let modelDescription = ModelDescription(
            name: "Library", entities: [],
            versions: [
                version("first"),
                version("addition", [.addColumn(#""isbn" TEXT"#, to: "Book")]),
            ],
            schema: [metadata, table("Book").replacing("DEFAULT 0\n", with: "DEFAULT 0,\n    \"isbn\" TEXT\n")]
                + indexes,
            firstSchema: First.modelDescription.schema)
    }

    /// One index less. SQLite reads its pages to free them.
    enum IndexDropped: ManagedObjectModel {
        static let modelDescription = ModelDescription(
            name: "Library", entities: [],
            versions: [
                version("first"),
                version("index dropped", [.dropIndex("index$Book$byPages")]),
            ],
            schema: [metadata, table("Book"), indexes[0]], firstSchema: First.modelDescription.schema)
    }

    /// A column becomes required, so that the table is written again.
    enum Copy: ManagedObjectModel {
        static let newTable = table("Book$$new").replacing(#""text" TEXT"#, with: #""text" TEXT NOT NULL DEFAULT ''"#)
        static let copy = ModelDescription.MigrationStatement.copyRows(
            into: "Book$$new", from: "Book", columns: ["id$", "version$", "title", "text", "pages"],
            values: [#""id$""#, #""version$""#, #""title""#, #"coalesce("text", '')"#, #""pages""#])
        static let modelDescription = ModelDescription(
            name: "Library", entities: [],
            versions: [
                version("first"),
                version(
                    "copy",
                    [
                        .createReplacement(of: "Book", newTable), copy, .dropTable("Book"), .replaceTable("Book"),
                        .createIndex("index$Book$byTitle", on: "Book", indexes[0]),
                        .createIndex("index$Book$byPages", on: "Book", indexes[1]),
                    ]),
            ],
            schema: [metadata, newTable.replacing("$$new", with: "")] + indexes,
            firstSchema: First.modelDescription.schema)
    }
}
