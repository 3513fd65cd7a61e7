import BenchmarkHarness
import CLoops
import Foundation

/// A number that depends on all values that were read.
struct Digest {
    private(set) var value: UInt64 = 0x2018_0604

    mutating func add(_ number: Int64) {
        value = (value ^ UInt64(bitPattern: number)) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
    }

    mutating func add(_ number: Double) { add(Int64(bitPattern: number.bitPattern)) }
    mutating func add(_ flag: Bool) { add(flag ? Int64(1) : 0) }
    mutating func add(_ date: Date) { add(date.timeIntervalSinceReferenceDate) }

    mutating func add(_ text: String?) {
        guard let text else { return add(Int64(-1)) }
        add(text.utf8)
    }

    mutating func add(_ bytes: some Collection<UInt8>) {
        add(Int64(bytes.count))
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}

extension Checksum {
    /// Over all values of all rows of queries.
    init(_ store: URL, _ queries: [String]) throws {
        self.init()
        let connection = try HandWrittenConnection(store)
        for query in queries {
            try connection.prepare(query).each { row in
                var digest = Digest()
                for column in 0..<sqlite3_column_count(row) {
                    switch sqlite3_column_type(row, column) {
                    case SQLITE_INTEGER: digest.add(row.integer(column))
                    case SQLITE_FLOAT: digest.add(row.double(column))
                    default: digest.add(row.optionalText(column))
                    }
                }
                add(digest.value)
            }
        }
    }

    /// Over things that were read, in their order.
    init<Elements: Sequence>(_ elements: Elements, _ add: (inout Digest, Elements.Element) -> Void) {
        self.init()
        for element in elements {
            var digest = Digest()
            add(&digest, element)
            self.add(digest.value)
        }
    }
}

extension Digest {
    mutating func add(_ post: PostValues) {
        add(post.category)
        add(post.favorite)
        add(post.latitude)
        add(post.likes)
        add(post.longitude)
        add(post.rating)
        add(post.summary)
        add(post.text)
        add(post.timestamp)
        add(post.title)
        add(post.author ?? 0)
    }
}
