import Ashlar
import BenchmarkHarness
import CLoops

/// Fetches the objects of a hierarchy of four levels by its root, a quarter of each class.
struct FetchHierarchy: Workload {
    static let name = "fetch a hierarchy"
    static let unit = "all rows"

    private class LoopMedium {
        let id: Int64
        let version: Int64
        let title: String

        init(_ row: OpaquePointer) { (id, version, title) = (row.integer(0), row.integer(1), row.text(3)) }
        func add(to digest: inout Digest) { digest.add(title) }
    }

    private class LoopPublication: LoopMedium {
        let publisher: String

        override init(_ row: OpaquePointer) {
            publisher = row.text(4)
            super.init(row)
        }
        override func add(to digest: inout Digest) {
            super.add(to: &digest)
            digest.add(publisher)
        }
    }

    private class LoopPeriodical: LoopPublication {
        let interval: Int64

        override init(_ row: OpaquePointer) {
            interval = row.integer(5)
            super.init(row)
        }
        override func add(to digest: inout Digest) {
            super.add(to: &digest)
            digest.add(interval)
        }
    }

    private final class LoopIssue: LoopPeriodical {
        let number: Int64

        override init(_ row: OpaquePointer) {
            number = row.integer(6)
            super.init(row)
        }
        override func add(to digest: inout Digest) {
            super.add(to: &digest)
            digest.add(number)
        }
    }

    private let readers: Readers
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.media(), stores)
        statement = try readers.connection.prepare(
            #"SELECT "id$", "version$", "entity$", "title", "publisher", "interval", "number" FROM "Medium""#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .swiftLoop {
            try round.read {
                var media: [LoopMedium] = []
                var map: [Int64: LoopMedium] = [:]
                try statement.each { row in
                    let medium: LoopMedium
                    // All names have different lengths, and none is empty.
                    switch sqlite3_column_bytes(row, 2) {
                    case 11: medium = LoopPublication(row)
                    case 10: medium = LoopPeriodical(row)
                    case 5: medium = LoopIssue(row)
                    default: medium = LoopMedium(row)
                    }
                    map[medium.id] = medium
                    media.append(medium)
                }
                return media
            } _: {
                Checksum($0) { $1.add(to: &$0) }
            }
        } else {
            var context: ModelContext? = ModelContext(readers.container)
            try round.read {
                try context?.fetch(Medium.all) ?? []
            } _: {
                Checksum($0) { digest, medium in
                    digest.add(medium.title)
                    if let publication = medium as? Publication { digest.add(publication.publisher) }
                    if let periodical = medium as? Periodical { digest.add(periodical.interval) }
                    if let issue = medium as? Issue { digest.add(issue.number) }
                }
            }
            try round.measure { context = nil }
        }
    }
}
