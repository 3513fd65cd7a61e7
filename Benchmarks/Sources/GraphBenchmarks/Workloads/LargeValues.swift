import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Twenty values of a megabyte, which are stored in files of their own.
private enum LargeValue {
    static let count = 20

    static func make(_ number: Int) -> Data {
        var data = Data(count: 1 << 20)
        for place in stride(from: 0, to: data.count, by: 4096) { data[place] = UInt8((number + place >> 12) & 0xFF) }
        return data
    }

    /// The folder of a store's files.
    static func folder(_ store: URL) -> URL {
        store.deletingLastPathComponent().appending(path: ".\(store.lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
    }

    static func add(_ data: Data, to digest: inout Digest) {
        digest.add(Int64(data.count))
        for place in stride(from: 0, to: data.count, by: 4096) { digest.add(Int64(data[data.startIndex + place])) }
    }

    static func checksum(_ container: ModelContainer) throws -> Checksum {
        Checksum(try ModelContext(container).fetch(Attachment.order { $0.name })) { digest, attachment in
            digest.add(attachment.name)
            add(attachment.data, to: &digest)
        }
    }

    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0, fsync(descriptor) == 0, close(descriptor) == 0 else {
            throw LoopError(description: "cannot synchronize \(path)")
        }
    }
}

/// Inserts twenty values of a megabyte and saves. Their files are on the disk before the transaction commits.
struct WriteLargeValues: Workload {
    static let name = "write large values"
    static let unit = "20 of 1 MB"
    static let needsFile = true

    private let stores: GraphStores
    private let template: URL
    private let values: [Data]

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.empty()
        values = (0..<LargeValue.count).map { LargeValue.make($0) }
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let url = try stores.folder.copy(of: template)
        let folder = LargeValue.folder(url)
        defer {
            stores.folder.remove(url)
            try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
        }
        if contestant == .swiftLoop {
            let connection = try HandWrittenConnection(url)
            let insert = try connection.prepare(#"INSERT INTO "Attachment" ("data", "name") VALUES (?1, ?2)"#)
            try round.measure {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try connection.transaction {
                    for (number, value) in values.enumerated() {
                        let name = UUID().uuidString
                        let path = folder.appending(path: name).path
                        try Self.write(value, path)
                        let reference = "ashlar$file:\(name)/\(value.count)"
                        try insert.run { row in
                            sqlite3_bind_blob(
                                row, 1, reference, Int32(reference.utf8.count),
                                unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                            row.bind("Attachment \(number + 10)", 2)
                        }
                    }
                    for url in [folder, folder.deletingLastPathComponent()] { try LargeValue.synchronize(url.path) }
                }
            }
        } else {
            let context = ModelContext(try stores.container(url))
            try round.measure {
                for (number, value) in values.enumerated() {
                    context.insert(Attachment(data: value, name: "Attachment \(number + 10)"))
                }
                try context.save()
            }
        }
        try round.verify(LargeValue.checksum(stores.container(url)))
    }

    private static func write(_ value: Data, _ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        defer { close(descriptor) }
        let written = value.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard written == value.count, fsync(descriptor) == 0 else {
            throw LoopError(description: "cannot write \(path)")
        }
    }
}

/// Reads twenty values of a megabyte from their files.
struct ReadLargeValues: Workload {
    static let name = "read large values"
    static let unit = "20 of 1 MB"
    static let needsFile = true

    private let container: ModelContainer
    private let statement: HandWrittenStatement
    private let folder: URL

    init(_ stores: GraphStores) throws {
        let url = try stores.folder.copy(of: stores.empty())
        container = try stores.container(url)
        let context = ModelContext(container)
        for number in 0..<LargeValue.count {
            context.insert(Attachment(data: LargeValue.make(number), name: "Attachment \(number + 10)"))
        }
        try context.save()
        folder = LargeValue.folder(url)
        statement = try HandWrittenConnection(url).prepare(
            #"SELECT "id$", "version$", "data", "name" FROM "Attachment" ORDER BY "name""#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let checksum = try round.measure {
            var digest = Digest()
            if contestant == .swiftLoop {
                try statement.each { row in
                    let reference = row.text(2).split(separator: ":")[1].split(separator: "/")[0]
                    digest.add(row.text(3))
                    LargeValue.add(try Data(contentsOf: folder.appending(path: String(reference))), to: &digest)
                }
            } else {
                for attachment in try ModelContext(container).fetch(Attachment.order { $0.name }) {
                    digest.add(attachment.name)
                    LargeValue.add(attachment.data, to: &digest)
                }
            }
            return Checksum(sum: digest.value)
        }
        round.verify(checksum)
    }
}
