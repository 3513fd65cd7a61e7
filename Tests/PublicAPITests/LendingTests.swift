import Ashlar
import Foundation
import Testing

/// Rows that are lent to a closure, as a program sees them.
@Suite struct LendingTests {
    @Test func aLoopLooksAtRows() throws {
        let library = try Library()
        var pages: Int64 = 0
        var letters = 0
        var longest = ""
        try library.context.forEachRow(Book.where { $0.pages > 0 }.order { $0.title.ascending }) { row in
            pages += Int64(try row.pages)
            let title = try row.title
            letters += title.count
            if title.count > longest.utf8.count { longest = String(copying: title) }
            let (count, bytes, name) = (title.count, try row.utf8(\.title).count, row.identifier.entityName)
            #expect(count == bytes && name == "Book")
        }
        let books = try library.context.fetchValues(Book.where { $0.pages > 0 })
        #expect(!books.isEmpty)
        #expect(pages == books.reduce(0) { $0 + Int64($1.pages) })
        #expect(letters == books.reduce(0) { $0 + $1.title.utf8.count })
        #expect(longest.utf8.count == books.map(\.title.utf8.count).max())
    }

    @Test func anotherTaskLooksAtRows() async throws {
        let library = try Library()
        let container = library.container
        try await container.forEachRow(Book.all) { row in
            let count = try row.title.count
            #expect(count > 0)
        }
    }
}
