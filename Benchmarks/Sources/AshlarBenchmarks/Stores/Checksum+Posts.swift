import BenchmarkHarness
import CLoops
import Foundation

/// Checksums of the posts that a contestant read or wrote.
extension Checksum {
    init<Values: Sequence>(_ rows: Values) where Values.Element == PostValues {
        self.init()
        for row in rows { add(row) }
    }

    init(_ posts: CLoopsPosts) {
        self.init()
        for index in 0..<posts.count { add(posts.posts[index]) }
    }

    init(_ objects: [UnsafeMutablePointer<CLoopsPost>?]) {
        self.init()
        for object in objects { if let object { add(object.pointee) } }
    }

    init(store: URL) throws {
        self.init(sum: try Stores.checksum(of: store))
    }

    private mutating func add(_ post: CLoopsPost) {
        withUnsafePointer(to: post) { add(CLoopsPostChecksum($0)) }
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
