import BenchmarkHarness
import CLoops
import Foundation

/// The loops over SQLite's C API that one writes in Swift where speed matters.
enum HandWrittenLoops {
    static func fetchValues(_ statement: HandWrittenStatement) throws -> [PostValues] {
        let handle = statement.handle
        var result: [PostValues] = []
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW {
            result.append(PostValues.decode(handle, from: 2))
            code = sqlite3_step(handle)
        }
        sqlite3_reset(handle)
        try statement.connection.check(code)
        return result
    }

    /// The objects of all rows. Objects in the map are not read again.
    static func fetchObjects(_ statement: HandWrittenStatement, _ map: inout [Int64: PostObject]) throws -> [PostObject]
    {
        let handle = statement.handle
        var result: [PostObject] = []
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW {
            let id = sqlite3_column_int64(handle, 0)
            if let known = map[id] {
                result.append(known)
            } else {
                let object = makeObject(handle, id)
                map[id] = object
                result.append(object)
            }
            code = sqlite3_step(handle)
        }
        sqlite3_reset(handle)
        try statement.connection.check(code)
        return result
    }

    /// The object of each identifier, from the map or from the store.
    static func lookUp(
        _ identifiers: [Int64], _ statement: HandWrittenStatement, _ map: inout [Int64: PostObject]
    ) throws -> [PostObject] {
        let handle = statement.handle
        var result: [PostObject] = []
        for id in identifiers {
            if let known = map[id] {
                result.append(known)
                continue
            }
            sqlite3_bind_int64(handle, 1, id)
            let code = sqlite3_step(handle)
            if code != SQLITE_ROW { try statement.connection.check(code) }
            let object = makeObject(handle, id)
            sqlite3_reset(handle)
            map[id] = object
            result.append(object)
        }
        return result
    }

    /// The name in a row that is looked up alone.
    static func name(_ rowID: Int64, _ statement: HandWrittenStatement) throws -> String {
        let handle = statement.handle
        sqlite3_bind_int64(handle, 1, rowID)
        let code = sqlite3_step(handle)
        if code != SQLITE_ROW { try statement.connection.check(code) }
        let bytes = UnsafeBufferPointer(
            start: sqlite3_column_text(handle, 0), count: Int(sqlite3_column_bytes(handle, 0)))
        let name = String(decoding: bytes, as: UTF8.self)
        sqlite3_reset(handle)
        return name
    }

    @inline(__always)
    private static func makeObject(_ statement: OpaquePointer, _ id: Int64) -> PostObject {
        PostObject(
            id: id, version: sqlite3_column_int64(statement, 1), values: PostValues.decode(statement, from: 2))
    }

    static func insert(_ posts: some Sequence<PostValues>, _ statement: HandWrittenStatement) throws {
        let handle = statement.handle
        for post in posts {
            sqlite3_bind_int64(handle, 1, post.favorite ? 1 : 0)
            sqlite3_bind_double(handle, 3, post.latitude)
            sqlite3_bind_int64(handle, 4, post.likes)
            sqlite3_bind_double(handle, 5, post.longitude)
            sqlite3_bind_double(handle, 8, post.timestamp.timeIntervalSinceReferenceDate)
            if let author = post.author {
                sqlite3_bind_int64(handle, 10, author)
            } else {
                sqlite3_bind_null(handle, 10)
            }
            // Bound without a copy: the memory is valid while these closures run.
            let code = withBound(post.image, handle, 2) {
                withBound(post.palette, handle, 6) {
                    withBound(post.text, handle, 7) {
                        withBound(post.title, handle, 9) { sqlite3_step(handle) }
                    }
                }
            }
            sqlite3_reset(handle)
            try statement.connection.check(code)
        }
    }

    @inline(__always)
    private static func withBound(
        _ value: Data?, _ statement: OpaquePointer, _ position: Int32, _ body: () -> Int32
    ) -> Int32 {
        guard let value else {
            sqlite3_bind_null(statement, position)
            return body()
        }
        return value.withUnsafeBytes { bytes in
            sqlite3_bind_blob64(statement, position, bytes.baseAddress, UInt64(bytes.count), nil)
            return body()
        }
    }

    @inline(__always)
    private static func withBound(
        _ value: String, _ statement: OpaquePointer, _ position: Int32, _ body: () -> Int32
    ) -> Int32 {
        var value = value
        return value.withUTF8 { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_bind_text64(
                    statement, position, characters.baseAddress, UInt64(characters.count), nil, UInt8(SQLITE_UTF8))
            }
            return body()
        }
    }

    /// Adds one to the likes of each post.
    static func update(_ posts: [PostObject], _ statement: HandWrittenStatement) throws {
        let handle = statement.handle
        for post in posts {
            post.values.likes += 1
            sqlite3_bind_int64(handle, 1, post.values.likes)
            sqlite3_bind_int64(handle, 2, post.id)
            let code = sqlite3_step(handle)
            sqlite3_reset(handle)
            try statement.connection.check(code)
        }
    }

    static func delete(_ posts: [PostObject], _ statement: HandWrittenStatement) throws {
        let handle = statement.handle
        for post in posts {
            sqlite3_bind_int64(handle, 1, post.id)
            let code = sqlite3_step(handle)
            sqlite3_reset(handle)
            try statement.connection.check(code)
        }
    }
}
