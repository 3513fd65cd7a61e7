import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// A store that another program wrote: whatever it contains, each operation ends, and failures are typed errors.
@Suite struct HostileStoreTests {
    let folder: TemporaryFolder
    var url: URL { folder.file() }

    init() throws { folder = try TemporaryFolder() }

    // MARK: The store

    func makeStore(historyTracking: Bool? = true) throws {
        let container = try ModelContainer(
            for: PhotoFeedModel.self,
            configurations: ModelConfiguration(
                url: folder.file("sound.store"), options: StoreOptions(historyTracking: historyTracking)))
        let context = ModelContext(container)
        for index in 0..<4 {
            let author = Author(name: "author \(index)")
            context.insert(author)
            for number in 0..<3 {
                context.insert(Post(timestamp: .now, title: "\(index) \(number)", author: author))
            }
        }
        try context.save()
        context.delete(try context.fetch(Post.all)[0])
        try context.save()
        try context.batchInsert(contentsOf: (0..<20).map { Author.Values(name: "batch \($0)") })
        try container.pool.write { connection in
            // An earlier migration, which creates the ledger.
            try MigrationLedger(connection: connection, program: "test").add(
                .schemaUpdate, to: try #require(try StoreMetadata(connection)), detail: "")
        }
        try container.checkpoint(.truncate)
    }

    func copyStore() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        where name.hasPrefix("test.store") {
            try FileManager.default.removeItem(at: folder.file(name))
        }
        try FileManager.default.copyItem(at: folder.file("sound.store"), to: url)
    }

    // MARK: Using the store

    /// Performs every operation that a program may perform with a store. Failures must be Ashlar's own errors.
    func useStore(_ comment: Testing.Comment, _ model: any ManagedObjectModel.Type = PhotoFeedModel.self) {
        attempt(comment, "reading the metadata") { _ = try ModelContainer.metadata(ofStoreAt: url) }
        attempt(comment, "reading the ledger") { _ = try ModelContainer.migrationHistory(ofStoreAt: url) }
        attempt(comment, "planning") { _ = try ModelContainer.plannedMigration(ofStoreAt: url, for: model) }
        var container: ModelContainer?
        attempt(comment, "opening") { container = try ModelContainer(for: model, at: url) }
        guard let container else { return }
        let context = ModelContext(container)
        attempt(comment, "fetching") {
            for post in try context.fetch(Post.all) { _ = post.author?.name }
            for author in try context.fetch(Author.all) { _ = author.posts.count }
        }
        attempt(comment, "fetching values") { _ = try context.fetchValues(Post.all) }
        attempt(comment, "fetching identifiers") { _ = try context.fetchIdentifiers(Post.all) }
        attempt(comment, "counting") { _ = try context.fetchCount(Author.where { $0.name.hasPrefix("a") }) }
        attempt(comment, "enumerating") { try context.enumerate(Post.all, batchSize: 2) { _ in } }
        attempt(comment, "reading the history") { _ = try container.fetchHistory() }
        attempt(comment, "making a changeset") { _ = try container.changeset(.all) }
        attempt(comment, "inserting") {
            let context = ModelContext(container)
            context.insert(Author(name: "new"))
            context.insert(Post(timestamp: .now, title: "new"))
            try context.save()
        }
        attempt(comment, "obtaining identifiers") {
            let context = ModelContext(container)
            let author = Author(name: "new")
            context.insert(author)
            try context.obtainPermanentIdentifiers(for: [author])
            try context.save()
        }
        attempt(comment, "updating") {
            let context = ModelContext(container)
            for post in try context.fetch(Post.all) { post.title += "!" }
            try context.save()
        }
        attempt(comment, "deleting") {
            let context = ModelContext(container)
            if let author = try context.fetch(Author.all).last { context.delete(author) }
            try context.save()
        }
        attempt(comment, "a batch insertion") {
            try ModelContext(container).batchInsert(contentsOf: (0..<10).map { Author.Values(name: "batch \($0)") })
        }
        attempt(comment, "a batch update") {
            try ModelContext(container).batchUpdate(Post.all) { $0.title = "same" }
        }
        attempt(comment, "a batch deletion") {
            try ModelContext(container).batchDelete(Post.where { $0.title == "same" })
        }
        attempt(comment, "reading the history again") { _ = try container.fetchHistory() }
        attempt(comment, "asking for the token") { _ = try container.currentHistoryToken() }
        attempt(comment, "purging") { try container.deleteHistory(before: .distantFuture) }
        attempt(comment, "reading the metadata of a container") { _ = try container.metadata() }
        attempt(comment, "looking for problems") { _ = try container.integrityProblems() }
        attempt(comment, "vacuuming") { try container.vacuum() }
    }

    func attempt(_ comment: Testing.Comment, _ doing: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            switch error {
            case is StoreError, is SaveError, is HistoryError, is ChangesetError, is BatchError:
                return
            default: Issue.record("\(comment): \(doing): \(type(of: error)) \(error)")
            }
        }
    }

    // MARK: Values

    /// SQL expressions of values that Ashlar never writes.
    private static let values = [
        "NULL", "0", "1", "-1", "63", "\(Int64.max)", "\(Int64.max - 1)", "\(Int64.min)", "3000000000", "1e300", "-0.5",
        "9e999", "''", "'abc'", "x''", "x'00ff'", "'1'", "zeroblob(100000)", "char(0, 1114111, 55296)",
        "printf('%.*c', 100000, 'x')", "'\" ; DROP TABLE \"Post\"; --'",
    ]

    @Test("every column of every table of Ashlar's own, and the columns that it adds to others", arguments: seeds(1))
    func nastyValues(_ seed: Seed) throws {
        try makeStore()
        let tables: [(name: String, columns: [String])] = try {
            let connection = try ForeignDatabase.connect(folder.file("sound.store"))
            let names = try connection.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name LIKE 'ashlar$%' OR name = 'sqlite_sequence')"
            )
            var tables: [(String, [String])] = []
            for name in names.map(\.[0].text) {
                let columns = try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text(name)])
                tables.append((name, columns.map(\.[0].text)))
            }
            return tables + [("Post", ["id$", "version$", "author"]), ("Author", ["id$", "version$"])]
        }()
        #expect(tables.count >= 9)
        var random = SeededGenerator(seed: seed)
        for (table, columns) in tables {
            for column in columns {
                let values =
                    TestEffort.factor > 1
                    ? Self.values : (0..<4).map { _ in Self.values.randomElement(using: &random) ?? "" }
                for value in values {
                    try copyStore()
                    for target in ["", " WHERE rowid = (SELECT max(rowid) FROM \"\(table)\")"] {
                        let isStrict = random.oneIn(2)
                        let comment: Testing.Comment = "\(table).\(column) = \(value)\(target), strict \(isStrict)"
                        if try !alter(table, column, value, target, isStrict) { continue }
                        useStore(comment)
                    }
                }
            }
        }
    }

    /// Changes the values of a column, with or without the types that the table requires. Returns `false` if SQLite
    /// refuses.
    private func alter(
        _ table: String, _ column: String, _ value: String, _ target: String, _ isStrict: Bool
    ) throws -> Bool {
        if !isStrict {
            let program = try ForeignProgram(url, "writable_schema = ON")
            program.run(
                """
                UPDATE sqlite_schema SET sql = replace(replace(sql, ' NOT NULL', ''), ') STRICT', ')')
                WHERE name = '\(table)' AND sql LIKE '%) STRICT'
                """)
        }
        let program = try ForeignProgram(url, "foreign_keys = OFF", "ignore_check_constraints = ON")
        return program.run("UPDATE \"\(table)\" SET \"\(column)\" = \(value)\(target)") == nil
    }

    /// The alterations that crashed a process, one by one.
    @Test(arguments: [
        "UPDATE ashlar$change SET kind = 0, detail = row - 5",
        "UPDATE ashlar$change SET kind = 0, detail = row + 3000000000",
        "UPDATE ashlar$change SET kind = 0, detail = \(Int64.max)",
        "UPDATE ashlar$change SET kind = 0, row = \(Int64.min), detail = \(Int64.max)",
        "UPDATE ashlar$change SET row = -3",
    ])
    func alteredHistory(_ sql: String) throws {
        try makeStore()
        try copyStore()
        #expect(try ForeignProgram(url).run(sql) == nil)
        let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
        for read in [
            { _ = try container.fetchHistory() }, { _ = try container.changeset(.all) },
            { _ = try ModelContext(container).fetchHistory() },
        ] {
            #expect {
                try read()
            } throws: { error in
                guard case HistoryError.damaged(url, _, _) = error else { return false }
                return "\(error)".contains("begin it anew")
            }
        }
        // The remedy in the message works.
        var configuration = ModelConfiguration(url: url, options: StoreOptions(historyTracking: false))
        _ = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
        configuration.options.historyTracking = true
        let mended = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)
        #expect(try mended.fetchHistory().isEmpty)
    }

    /// A change may cover many rows. Below a limit, the rows are not counted, even if there are fewer.
    @Test func aLargeRangeOfRows() throws {
        let container = try ModelContainer(
            for: PhotoFeedModel.self,
            configurations: ModelConfiguration(
                isStoredInMemoryOnly: true, options: StoreOptions(historyTracking: true)))
        try container.pool.write { connection in
            try connection.execute(
                """
                WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5)
                INSERT INTO "Author" ("name") SELECT 'a' || n FROM n
                """)
            try connection.execute(
                "UPDATE ashlar$change SET kind = 0, row = 1, detail = 1000000 WHERE number = (SELECT max(number) FROM ashlar$change)"
            )
        }
        // The range is accepted, because rows may be deleted without a record.
        #expect(try container.fetchHistory().flatMap(\.changes).count >= 1_000_000)
    }

    // MARK: The edges of numbers

    private func expectFull(_ body: () throws -> Void) {
        #expect {
            try body()
        } throws: { error in
            switch error {
            case SaveError.sqlite(let error), StoreError.sqlite(let error, _), BatchError.sqlite(let error, _):
                error.code == SQLITE_FULL
            case let error as SQLiteError: error.code == SQLITE_FULL
            default: false
            }
        }
    }

    @Test(
        "a mark or a row at the greatest number",
        arguments: [
            "UPDATE sqlite_sequence SET seq = \(Int64.max) WHERE name = 'Author'",
            "UPDATE sqlite_sequence SET seq = \(Int64.max - 1) WHERE name = 'Author'",
            "INSERT INTO Author (id$, name) VALUES (\(Int64.max), 'last')",
        ])
    func theGreatestNumber(_ sql: String) throws {
        try makeStore(historyTracking: nil)
        try copyStore()
        #expect(try ForeignProgram(url).run(sql) == nil)
        let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
        expectFull {
            let context = ModelContext(container)
            for index in 0..<3 { context.insert(Author(name: "\(index)")) }
            try context.save()
        }
        expectFull {
            let context = ModelContext(container)
            let authors = (0..<3).map { Author(name: "\($0)") }
            for author in authors { context.insert(author) }
            try context.obtainPermanentIdentifiers(for: authors)
        }
        expectFull {
            try ModelContext(container).batchInsert(contentsOf: (0..<3).map { Author.Values(name: "\($0)") })
        }
        // Other tables and existing rows can still be changed.
        let context = ModelContext(container)
        context.insert(Post(timestamp: .now, title: "new"))
        for author in try context.fetch(Author.all) { author.name += "!" }
        try context.save()
        #expect(try container.integrityProblems().contains { $0.contains("used up") && $0.contains("Author") })
    }

    @Test("a version at the greatest number") func theGreatestVersion() throws {
        try makeStore(historyTracking: nil)
        try copyStore()
        #expect(try ForeignProgram(url).run("UPDATE Author SET version$ = \(Int64.max)") == nil)
        let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
        let context = ModelContext(container)
        for author in try context.fetch(Author.all) { author.name += "!" }
        #expect(throws: SaveError.self) { try context.save() }
    }

    /// Rows with such numbers would look like unsaved objects.
    @Test("rows with numbers below 1") func negativeNumbers() throws {
        try makeStore(historyTracking: nil)
        try copyStore()
        let program = try ForeignProgram(url)
        #expect(program.run("INSERT INTO Author (id$, name) VALUES (-1, 'a'), (-2, 'b'), (0, 'c')") == nil)
        #expect(program.run("UPDATE Post SET author = -2 WHERE id$ = 2") == nil)
        let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
        let context = ModelContext(container)
        for index in 0..<60 { context.insert(Author(name: "new \(index)")) }
        let reads: [(String, () throws -> Void)] = [
            ("objects", { _ = try context.fetch(Author.all) }),
            ("another context", { _ = try ModelContext(container).fetch(Author.all) }),
            ("identifiers", { _ = try ModelContext(container).fetchIdentifiers(Author.all) }),
            ("batches", { try ModelContext(container).enumerate(Author.all, batchSize: 2) { _ in } }),
            ("referring values", { _ = try context.fetchValues(Post.all) }),
        ]
        for (name, read) in reads {
            #expect("\(name)") {
                try read()
            } throws: {
                if case StoreError.invalidValue(_, _, _, let expected) = $0 {
                    expected.contains("1 or more")
                } else {
                    false
                }
            }
        }
        #expect(try container.integrityProblems().contains { $0.contains("Row -2 of Author") })
        // The post that refers to such a row has no author, and the context records the invalid value.
        let other = ModelContext(container)
        let post = try? other.fetch(Post.where { $0.title == "0 1" }).first
        #expect(post?.author == nil)
        #expect(!other.invalidValues.isEmpty)
    }

    @Test("a changeset with numbers of no row", arguments: [-5, 0, Int64.max, Int64.max - 1, Int64.min])
    func aChangesetWithSuchNumbers(_ number: Int64) throws {
        let options = StoreOptions(historyTracking: true)
        let source = try ModelContainer(
            for: PhotoFeedModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, options: options))
        let target = try ModelContainer(
            for: PhotoFeedModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, options: options))
        var writer = ChangesetWriter()
        let shape = try source.pool.read { connection in
            try StoredTable(
                try #require(TrackedTable.tables(of: source.model).first { $0.name == "Author" }), connection)
        }
        writer.begin("Author", keys: shape.keys)
        writer.add(
            .insert,
            shape.columns.map { name in
                switch name {
                case "id$": .integer(number)
                case "name": .text("evil")
                case "version$": .integer(1)
                default: .null
                }
            })
        var changeset = Changeset(data: writer.data)
        changeset.columns = ["Author": shape.columns]
        #expect(throws: ChangesetError.invalidValue(table: "Author", column: "id$")) {
            try target.apply(changeset)
        }
        #expect(try ModelContext(target).fetchCount(Author.all) == 0)
    }

}
