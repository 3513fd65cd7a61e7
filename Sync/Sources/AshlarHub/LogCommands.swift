import ArgumentParser
import AshlarSync
import Foundation
import PostgresLog

struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists, shows, cuts, repairs and deletes logs.",
        subcommands: [
            List.self, Show.self, Compact.self, Cut.self, Remove.self, Repair.self, Release.self, ReturnNumbers.self,
            Delete.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the logs with their sizes.")
        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            for log in try await options.open().logs() { print(log.line) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the sites of a log: how much each wrote, how far behind it is, and when it was last seen.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String

        func run() async throws {
            let database = try options.open()
            guard let found = try await database.logs().first(where: { $0.name == log }) else {
                throw SyncLogError.missing("the log \(log)")
            }
            print(found.line)
            for site in try await database.sites(ofLog: log) {
                let lag = site.position.map { "\(max(0, found.head - $0)) behind" } ?? "never seen by a hub"
                let seen = site.seen.map { Date(timeIntervalSince1970: $0).ISO8601Format() } ?? ""
                let holder = site.holder.isEmpty ? "(the database itself)" : site.holder
                print(
                    "\(site.site)  \(holder)  \((site.label ?? "(revoked)").printable)  \(site.entryCount) entries, "
                        + "\(site.entryBytes) bytes  \(lag)  \(seen)")
            }
        }
    }

    struct Compact: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Removes the entries that are in a snapshot, as far as all stores have read them that were seen of late."
        )
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Option(
            help: "For how many days a store may be away. Later it begins with the snapshot, and keeps its saves.")
        var offlineDays = 30

        func run() async throws {
            let position = try await options.open().compactLog(log, offlineDays: offlineDays)
            print(position.map { "The entries up to \($0) were removed." } ?? "No snapshot has more entries.")
        }
    }

    struct Cut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes all entries after a position. Stores that have read them keep their rows.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Option(help: "The position of the last entry that stays.") var after: Int64

        func run() async throws { try await options.open().cutLog(log, after: after) }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes out an entry that no store can follow. All stores leave it out then, and report that.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Argument(help: "The position of the entry.") var position: Int64

        func run() async throws { try await options.open().removeEntry(at: position, ofLog: log) }
    }

    struct Repair: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Removes unusable snapshots and corrects a log's numbers. Prints changes, and defects that you have to correct."
        )
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String

        func run() async throws {
            let report = try await options.open().repairLog(log)
            print(report.isEmpty ? "Nothing is wrong." : report.joined(separator: "\n"))
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has a site belong to the token that uses it next, after its own was revoked.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Argument(help: "The site, as `log show` prints it.") var site: String

        func run() async throws {
            guard let site = UUID(uuidString: site) else { throw ValidationError("\(site) is not a site's UUID.") }
            try await options.open().releaseSite(site, ofLog: log)
        }
    }

    struct ReturnNumbers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes numbers for objects back from a token that was revoked and never used them.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Argument(help: "The beginning of the token's hash.") var holder: String

        func run() async throws {
            print("\(try await options.open().returnNumbers(of: holder, ofLog: log)) numbers were returned.")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a log, with its tokens.")
        @OptionGroup var options: DatabaseOptions
        @Argument(help: "The name of the log.") var log: String
        @Flag(help: "Without it, nothing is deleted.") var yes = false

        func run() async throws {
            guard yes else { throw ValidationError("Nothing was deleted. Say --yes to delete \(log) for ever.") }
            try await options.open().deleteLog(log)
        }
    }
}

extension PostgresLogSummary {
    fileprivate var line: String {
        "\(name.printable)  newest \(head), kept after \(compacted)  \(entryCount) entries, \(entryBytes) bytes  "
            + "\(snapshotCount) snapshots, \(snapshotBytes) bytes  \(valueCount) large values, \(valueBytes) bytes  "
            + "\(numbersLeft) numbers left"
    }
}

extension String {
    /// The text without characters that move a terminal's cursor.
    var printable: String {
        String(
            String.UnicodeScalarView(unicodeScalars.map { $0.value < 32 || (127..<160).contains($0.value) ? "?" : $0 }))
    }
}
