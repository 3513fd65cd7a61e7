import Ashlar
import Foundation
import Testing

/// Closures in the style of Swift's sequences, compared with the results of those.
struct SwiftClosureTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws {
        library = try Library()
        let book = try #require(try library.book("Frankenstein"))
        for (number, borrower) in ["Ann", "Bob", "Cid"].enumerated() {
            library.context.insert(Loan(borrower: borrower, returned: number != 1, book: book))
        }
        try library.context.save()
    }

    @Test func aBooleanAttributeIsACondition() throws {
        let loans = try context.fetch(Loan.all)
        func expect(
            _ descriptor: FetchDescriptor<Loan>, _ condition: (Loan) -> Bool, _ line: Int = #line
        ) throws {
            #expect(
                Set(try context.fetch(descriptor).map(\.borrower)) == Set(loans.filter(condition).map(\.borrower)),
                "line \(line)")
        }
        try expect(Loan.where { $0.returned }) { $0.returned }
        try expect(Loan.where { !$0.returned }) { !$0.returned }
        try expect(Loan.where { $0.returned && $0.borrower == "Ann" }) { $0.returned && $0.borrower == "Ann" }
        try expect(Loan.where { $0.borrower == "Bob" || $0.returned }) { $0.borrower == "Bob" || $0.returned }
        try expect(Loan.where { !$0.returned || !$0.returned }) { !$0.returned || !$0.returned }
        try expect(Loan.where { $0.returned && $0.returned }) { $0.returned && $0.returned }
        try expect(Loan.all.where { $0.borrower != "Ann" }.where { $0.returned }) {
            $0.borrower != "Ann" && $0.returned
        }
    }

    @Test func relatedObjectsAreAskedSo() throws {
        #expect(try context.fetchCount(Book.where { $0.loans.contains { $0.returned } }) == 1)
        #expect(try context.fetchCount(Book.where { $0.loans.contains { !$0.returned } }) == 1)
        #expect(try context.fetchCount(Book.where { $0.loans.allSatisfy { $0.returned } }) == 4)
        #expect(try context.fetchCount(Book.where { $0.loans.filter { $0.returned }.count == 2 }) == 1)
        #expect(try context.fetchCount(Book.where { $0.loans.count { $0.returned } == 2 }) == 1)
        let returned = try context.fetch(
            Loan.all.group { $0.returned }.having { $0.returned }.select { ($0.returned, .count) })
        #expect(returned.map(\.1) == [2])
        let words = try context.fetch(Loan.order { $0.borrower }.select { $0.returned.then("in", else: $0.borrower) })
        #expect(words == ["in", "Bob", "in"])
    }

    @Test func collectionsAndRangesContainColumns() throws {
        let books = try context.fetch(Book.all)
        func expect(
            _ descriptor: FetchDescriptor<Book>, _ condition: (Book) -> Bool, _ line: Int = #line
        ) throws {
            let found = Set(try context.fetch(descriptor).map(\.title))
            #expect(found == Set(books.filter(condition).map(\.title)), "line \(line)")
        }
        let titles = ["Beowulf", "Frankenstein", "none"]
        try expect(Book.where { titles.contains($0.title) }) { titles.contains($0.title) }
        try expect(Book.where { !["Beowulf"].contains($0.title) }) { !["Beowulf"].contains($0.title) }
        try expect(Book.where { Set<Language>([.fr, .de]).contains($0.language) }) { [.fr, .de].contains($0.language) }
        try expect(Book.where { (100...300).contains($0.pages) }) { (100...300).contains($0.pages) }
        try expect(Book.where { (90..<300).contains($0.pages) }) { (90..<300).contains($0.pages) }
        try expect(Book.where { (1820...1870).contains($0.year) }) {
            $0.year.map { (1820...1870).contains($0) } ?? false
        }
        try expect(Book.where { (1818..<1870).contains($0.year) }) {
            $0.year.map { (1818..<1870).contains($0) } ?? false
        }
        try expect(Book.where { [1826, nil].contains($0.year) }) { [1826, nil].contains($0.year) }
        let years: [Int64] = [1818, 1826]
        try expect(Book.where { years.contains($0.year) }) { $0.year.map(years.contains) ?? false }
        // Counting through this range would take centuries.
        try expect(Book.where { (0...Int64.max).contains($0.pages) }) { _ in true }
    }

    @Test func aColumnIsAnOrder() throws {
        #expect(
            try context.fetch(Book.order { $0.title }).map(\.title)
                == context.fetch(Book.order { $0.title.ascending }).map(\.title))
        let byYear = try context.fetch(Book.all.where { $0.pages > 90 }.order { $0.language }.order { $0.year })
        #expect(byYear.map(\.title) == ["Frankenstein", "The Last Man", "Vingt mille lieues"])
        #expect(
            try context.fetch(Book.all.group { $0.language }.select { $0.language }.order { $0.language }) == [
                .en, .fr,
            ])
    }

    @Test func wholeNumbersOfAllWidthsAreCompared() throws {
        let audio = try context.fetchCount(AudioBook.where { $0.pages > 100 || $0.minutes > $0.pages })
        #expect(audio == 1)
        #expect(try context.fetchCount(AudioBook.where { $0.year > $0.minutes }) == 1)
        #expect(try context.fetchCount(AudioBook.where { $0.minutes == $0.pages }) == 0)
        #expect(try context.fetchCount(Book.where { $0.pages > $0.loans.count + 270 }) == 3)
        #expect(try context.fetchCount(Book.where { $0.loans.count * 100 > $0.pages }) == 1)
        let sums: [Int64] = try context.fetch(AudioBook.select { $0.minutes + $0.pages * 2 })
        #expect(sums == [440])
        let quotients = try context.fetch(AudioBook.select { ($0.minutes - $0.pages) / ($0.loans.count + $0.minutes) })
        #expect(quotients == [1])
    }
}
