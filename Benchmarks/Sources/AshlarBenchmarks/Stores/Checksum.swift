import CLoops
import Foundation

/// Proves that all contestants of a workload did the same work.
struct Checksum: Equatable {
    private(set) var count = 0
    private(set) var sum: UInt64 = 0

    init() {}

    init(count: Int, sum: UInt64) {
        self.count = count
        self.sum = sum
    }

    init<Values: Sequence>(_ rows: Values) where Values.Element == PostValues {
        for row in rows { add(row) }
    }

    init(_ posts: CLoopsPosts) {
        for index in 0..<posts.count { add(posts.posts[index]) }
    }

    init(_ objects: [UnsafeMutablePointer<CLoopsPost>?]) {
        for object in objects { if let object { add(object.pointee) } }
    }

    init(store: URL) throws {
        sum = try Stores.checksum(of: store)
    }

    private mutating func add(_ post: CLoopsPost) {
        count += 1
        // The order matters too.
        withUnsafePointer(to: post) { sum = (sum &* 31) &+ CLoopsPostChecksum($0) }
    }

    private mutating func add(_ post: PostValues) {
        post.withCLoopsPost { add($0) }
    }
}

extension PostValues {
    /// The post as the C loops have it, for as long as a closure runs.
    fileprivate func withCLoopsPost(_ body: (CLoopsPost) -> Void) {
        let parts = [image.map { Array($0) }, palette.map { Array($0) }, Array(text.utf8), Array(title.utf8)]
        let copies = parts.map { part in
            part.map { bytes in
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
                copy.copyBytes(from: bytes)
                return CLoopsBytes(bytes: copy.baseAddress, count: bytes.count)
            } ?? CLoopsBytes(bytes: nil, count: 0)
        }
        defer { for copy in copies { copy.bytes?.deallocate() } }
        body(
            CLoopsPost(
                id: 0, latitude: latitude, longitude: longitude,
                timestamp: timestamp.timeIntervalSinceReferenceDate, likes: likes, author: author ?? 0,
                image: copies[0], palette: copies[1], text: copies[2], title: copies[3], favorite: favorite))
    }
}
