import Ashlar
import Foundation

/// Writes a store until it is killed, or compares the rows that are left with those that were written.
///
///     ReplicatedStore write STORE          prints the number of each save that is committed
///     ReplicatedStore check STORE          prints the number of saves that the store has, if each is there as a whole
@main
struct ReplicatedStore {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { throw Problem(description: "ReplicatedStore write|check STORE") }
        let url = URL(fileURLWithPath: arguments[2])
        if arguments[1] == "write" { try write(url) } else { print(try check(url)) }
    }

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    private static func configuration(_ url: URL) -> ModelConfiguration {
        var configuration = ModelConfiguration(url: url)
        configuration.options.walAutocheckpoint = 0
        configuration.options.busyTimeout = .seconds(5)
        configuration.externalStorageThreshold = .max
        return configuration
    }

    /// The large value of a save: 200,000 bytes that differ from those of other saves.
    private static func statement(_ number: Int64) -> Data {
        Data((0..<200_000 as Range<Int64>).map { UInt8(truncatingIfNeeded: ($0 &+ 1) &* (number &+ 3) >> 4) })
    }

    private static func write(_ url: URL) throws {
        let container = try ModelContainer(for: LedgerModel.self, configurations: configuration(url))
        var number = Int64(try ModelContext(container).fetchCount(Account.all))
        while true {
            let context = ModelContext(container)
            let account = Account(number: number, statement: statement(number))
            context.insert(account)
            for text in ["first", "second"] { context.insert(Entry(text: text, account: account)) }
            try context.save()
            number += 1
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
    }

    private static func check(_ url: URL) throws -> Int {
        let container = try ModelContainer(for: LedgerModel.self, configurations: configuration(url))
        let problems = try container.integrityProblems()
        guard problems.isEmpty else { throw Problem(description: problems.joined(separator: "\n")) }
        var count: Int64 = 0
        let context = ModelContext(container)
        for account in try context.fetch(Account.order { $0.number.ascending }) {
            guard account.number == count else { throw Problem(description: "The save \(count) is missing.") }
            guard account.statement == statement(count) else {
                throw Problem(description: "The large value of the save \(count) has other bytes.")
            }
            guard Set(account.entries.map(\.text)) == ["first", "second"] else {
                throw Problem(description: "The save \(count) is there in part.")
            }
            count += 1
        }
        return Int(count)
    }
}
