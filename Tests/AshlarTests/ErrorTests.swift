import AshlarSQLite
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Every error describes the cause and contains SQLite's error, if any.
@Suite struct ErrorTests {
    /// A user interface shows the error's own text instead of the number that Foundation derives from it.
    @Test func theTextIsWhatFoundationShows() throws {
        let context = ModelContext(try memoryContainer(StudioModel.self))
        context.insert(Article(slug: "a", title: "first"))
        context.insert(Article(slug: "a", title: "second"))
        #expect { try context.save() } throws: { error in
            guard let own = error as? any AshlarError else { return false }
            return error.localizedDescription == own.description && own.description.contains("slug")
                && own.sqliteError == nil
        }
        let others: [any AshlarError] = [
            ContextError.nestedSave, FetchError.unusableIndex(entity: "A", index: "b"),
            StoreError.nestedWriting(URL(fileURLWithPath: "/a")), FetchError.tooDeep,
        ]
        for error in others { #expect((error as any Error).localizedDescription == error.description) }
    }

    @Test func whatSQLiteSaid() throws {
        let full = SQLiteError(code: 13, extendedCode: 13, message: "full", sql: "")
        let url = URL(fileURLWithPath: "/a")
        let errors: [any AshlarError] = [
            full, SaveError.sqlite(full), SaveError.constraint(nil, full), SaveError.unknownOutcome(full),
            SaveError.partlySaved([], failed: [url], full), StoreError.damaged(url, full),
            StoreError.sqlite(full, doing: "reading"),
            StoreError.migrationFailed(url, from: "1", to: "2", error: full),
            BatchError.incomplete(rows: 7, BatchError.sqlite(full, doing: "inserting")),
        ]
        for error in errors { #expect(error.sqliteError == full, "\(error)") }
        #expect(ContextError.nestedSave.sqliteError == nil && StoreError.nestedWriting(url).sqliteError == nil)
        // A store on a full disk.
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: StudioModel.self, at: folder.file())
        try container.pool.write { try $0.execute("PRAGMA max_page_count = 1") }
        let context = ModelContext(container)
        context.insert(Article(title: String(repeating: "x", count: 1_000_000)))
        #expect { try context.save() } throws: { error in (error as? any AshlarError)?.sqliteError?.code == 13 }
    }
}
