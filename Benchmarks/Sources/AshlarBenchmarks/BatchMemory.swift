import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// One operation on a store of any size, in a process of its own: its time, and the most memory that the process had.
///
///     AshlarBenchmarks memory make STORE ROWS
///     AshlarBenchmarks memory (insert|update|delete) (batch|objects|sql) STORE [ROWS]
struct BatchMemory {
    private static let misuse = UsageError(
        usage: """
            usage: AshlarBenchmarks memory make STORE ROWS
                   AshlarBenchmarks memory (insert|update|delete) (batch|objects|sql) STORE [ROWS]
            """)
    private static let text = "Where is this? I have been there too."

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 3 else { throw Self.misuse }
        if arguments[0] == "make" {
            return try make(URL(fileURLWithPath: arguments[1]), try number(arguments[2]))
        }
        let url = URL(fileURLWithPath: arguments[2])
        let rows = arguments.count > 3 ? try number(arguments[3]) : 0
        let context = ModelContext(try ModelContainer(for: PhotoFeedModel.self, at: url))
        let before = try ProcessMemory.peak()
        let start = ContinuousClock.now
        switch (arguments[0], arguments[1]) {
        case ("insert", "batch"): try insert(rows, context)
        case ("insert", "objects"): try insertObjects(rows, context)
        case ("insert", "sql"): try insertSQL(rows, url)
        case ("update", "batch"): try context.batchUpdate(Comment.all) { $0.text = "Nowhere." }
        case ("update", "objects"):
            for comment in try context.fetch(Comment.all) { comment.text = "Nowhere." }
            try context.save()
        case ("update", "sql"):
            try HandWrittenConnection(url).execute(
                #"UPDATE "Comment" SET "version$" = "version$" + 1, "text" = 'Nowhere.'"#)
        case ("delete", "batch"): try context.batchDelete(Comment.where { $0.text != "" })
        case ("delete", "objects"):
            for comment in try context.fetch(Comment.all) { context.delete(comment) }
            try context.save()
        case ("delete", "sql"): try HandWrittenConnection(url).execute(#"DELETE FROM "Comment" WHERE "text" <> ''"#)
        default: throw Self.misuse
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        print(
            "\(arguments[0]) \(arguments[1]): \(String(format: "%.2f", seconds)) s, peak \(try ProcessMemory.peak() / 1024) MiB "
                + "(\(before / 1024) MiB before)")
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text), number > 0 else { throw Self.misuse }
        return number
    }

    private static func make(_ url: URL, _ rows: Int) throws {
        let context = ModelContext(try ModelContainer(for: PhotoFeedModel.self, at: url))
        for number in 1...SampleData.authorCount { context.insert(Author(name: "Author \(number)")) }
        for number in 1...SampleData.authorCount { context.insert(Post(timestamp: .now, title: "Photo \(number)")) }
        try context.save()
        try insert(rows, context)
        try HandWrittenConnection(url).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func insert(_ rows: Int, _ context: ModelContext) throws {
        let authors = try context.fetchIdentifiers(Author.all)
        let posts = try context.fetchIdentifiers(Post.all)
        try context.batchInsert(
            contentsOf: (0..<rows).lazy.map { number in
                Comment.Values(
                    text: text, timestamp: Date(timeIntervalSinceReferenceDate: Double(number)),
                    author: authors[number % authors.count], post: posts[number % posts.count])
            })
    }

    private static func insertObjects(_ rows: Int, _ context: ModelContext) throws {
        let authors = try context.fetch(Author.all)
        let posts = try context.fetch(Post.all)
        for number in 0..<rows {
            context.insert(
                Comment(
                    text: text, timestamp: Date(timeIntervalSinceReferenceDate: Double(number)),
                    author: authors[number % authors.count], post: posts[number % posts.count]))
        }
        try context.save()
    }

    private static func insertSQL(_ rows: Int, _ url: URL) throws {
        let connection = try HandWrittenConnection(url)
        let statement = try connection.prepare(
            #"INSERT INTO "Comment" ("text", "timestamp", "author", "post") VALUES (?1, ?2, ?3, ?3)"#)
        try connection.execute("BEGIN IMMEDIATE")
        sqlite3_bind_text(statement.handle, 1, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        for number in 0..<rows {
            sqlite3_bind_double(statement.handle, 2, Double(number))
            sqlite3_bind_int64(statement.handle, 3, Int64(number % SampleData.authorCount + 1))
            let code = sqlite3_step(statement.handle)
            sqlite3_reset(statement.handle)
            try connection.check(code)
        }
        try connection.execute("COMMIT")
    }
}
