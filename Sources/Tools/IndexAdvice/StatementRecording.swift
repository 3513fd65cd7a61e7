import FileErrors
public import Foundation

/// The statements that programs ran, as a `StatementRecorder` of theirs wrote them to a file.
public struct StatementRecording: Sendable {
    /// One line of the file.
    private struct Line: Decodable {
        var sql: String
        var count: Int
        var microseconds: Double
        var rows: Int
    }

    /// Why a file cannot be read.
    public enum Failure: Error, Sendable, Hashable {
        case unreadable(String, reason: String)
        case tooLarge(String)
    }

    /// The statements that read, update or delete, each once, those that took the longest first.
    public private(set) var queries: [AdvisedQuery] = []
    /// The numbers of rows that were inserted, changed or deleted, by table.
    public private(set) var writes: [String: Int] = [:]
    /// The number of lines that are not statements.
    public private(set) var unreadableLineCount = 0

    /// The most bytes of a file, and the most statements of it.
    static let maximumSize = 256 << 20
    static let maximumCount = 10_000

    /// Reads files, as if they were one.
    public init(contentsOf urls: [URL]) throws(Failure) {
        var all = Data()
        for url in urls {
            do {
                all += try RegularFile.bytes(atPath: url.path, upToCount: Self.maximumSize + 1) + Data("\n".utf8)
            } catch {
                throw .unreadable(url.path, reason: FileErrorReason.text(error))
            }
            if all.count > Self.maximumSize { throw .tooLarge(url.path) }
        }
        self.init(all)
    }

    /// Reads the lines of a file; several may be about one statement.
    public init(_ data: Data) {
        var usages: [String: RecordedUsage] = [:]
        let decoder = JSONDecoder()
        for bytes in data.split(separator: UInt8(ascii: "\n")) where !Self.isBlank(bytes) {
            guard let line = try? decoder.decode(Line.self, from: Data(bytes)), line.count > 0, line.rows >= 0,
                line.microseconds.isFinite, line.microseconds >= 0, StatementText.isQueryOrChange(line.sql)
            else {
                unreadableLineCount += 1
                continue
            }
            if let table = StatementText.writtenTable(line.sql) {
                writes[table] = Self.sum(writes[table] ?? 0, line.count)
            }
            if usages[line.sql] == nil, usages.count >= Self.maximumCount { continue }
            var usage = usages[line.sql] ?? RecordedUsage(count: 0, seconds: 0, rowCount: 0)
            usage.count = Self.sum(usage.count, line.count)
            usage.rowCount = Self.sum(usage.rowCount, line.rows)
            usage.seconds += line.microseconds / 1e6
            usages[line.sql] = usage
        }
        queries = usages.filter { !StatementText.isInsertion($0.key) }
            .map { AdvisedQuery(origin: .recorded, sql: $0.key, usage: $0.value) }
            .sorted { ($1.usage?.seconds ?? 0, $0.sql) < ($0.usage?.seconds ?? 0, $1.sql) }
    }

    private static func isBlank(_ bytes: Data) -> Bool { bytes.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }

    /// Numbers of a file may be anything.
    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? .max : sum
    }
}

extension StatementRecording.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .tooLarge(let path):
            "\(path) has more than \(StatementRecording.maximumSize >> 20) MB; record less, into a new file"
        }
    }
}
