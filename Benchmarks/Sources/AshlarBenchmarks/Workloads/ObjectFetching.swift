import Ashlar
import BenchmarkHarness
import CLoops
import GRDB

/// Objects and the identity map that they are registered in.
protocol ObjectHolder: AnyObject {
    /// Fetches all rows; those that are registered are taken from the map.
    func fetch() throws
    /// A holder without objects that shares the map.
    func copy() -> any ObjectHolder
    func releaseObjects()
    var checksum: Checksum { get }
}

/// Makes the holders of all contestants.
struct ObjectFetching {
    private let connections: ReadConnections
    private let cStatement: HandWrittenStatement
    private let swiftStatement: HandWrittenStatement

    init(_ stores: Stores) throws {
        connections = try ReadConnections(stores)
        cStatement = try connections.forC.prepare(PostSQL.select)
        swiftStatement = try connections.forSwift.prepare(PostSQL.select)
    }

    func makeHolder(_ contestant: Contestant) -> any ObjectHolder {
        switch contestant {
        case .cLoop: CObjects(cStatement, CMap(), room: connections.stores.sample.rows)
        case .swiftLoop: SwiftObjects(swiftStatement, SwiftMap())
        case .ashlar: AshlarObjects(ModelContext(connections.container))
        case .grdbStatement, .grdbRecord:
            GRDBObjects<GRDBPost>(connections.queue, GRDBMap())
        case .grdbCodable:
            GRDBObjects<GRDBCodablePost>(connections.queue, GRDBMap())
        }
    }
}

/// Frees a C map with its last holder.
final class CMap {
    var map = CLoopsMakeMap()
    deinit { CLoopsReleaseMap(&map) }
}

private final class CObjects: ObjectHolder {
    private let statement: HandWrittenStatement
    private let map: CMap
    private var objects: UnsafeMutablePointer<UnsafeMutablePointer<CLoopsPost>?>
    private let room: Int
    private var count = 0

    init(_ statement: HandWrittenStatement, _ map: CMap, room: Int) {
        self.statement = statement
        self.map = map
        self.room = room
        objects = .allocate(capacity: room)
    }

    deinit { objects.deallocate() }

    func fetch() throws {
        try statement.connection.check(CLoopsFetchObjects(statement.handle, &map.map, objects, &count))
    }

    func copy() -> any ObjectHolder { CObjects(statement, map, room: room) }
    func releaseObjects() { count = 0 }
    var checksum: Checksum { Checksum(Array(UnsafeBufferPointer(start: objects, count: count))) }
}

/// A dictionary that several holders share.
final class SwiftMap {
    var map: [Int64: PostObject] = [:]
}

private final class SwiftObjects: ObjectHolder {
    private let statement: HandWrittenStatement
    private let map: SwiftMap
    private var objects: [PostObject] = []

    init(_ statement: HandWrittenStatement, _ map: SwiftMap) {
        self.statement = statement
        self.map = map
    }

    func fetch() throws { objects = try HandWrittenLoops.fetchObjects(statement, &map.map) }
    func copy() -> any ObjectHolder { SwiftObjects(statement, map) }
    func releaseObjects() { objects = [] }
    var checksum: Checksum { Checksum(objects.lazy.map(\.values)) }
}

private final class AshlarObjects: ObjectHolder {
    private let context: ModelContext
    private var objects: [Post] = []

    init(_ context: ModelContext) { self.context = context }

    func fetch() throws { objects = try context.fetch(Post.all) }
    func copy() -> any ObjectHolder { AshlarObjects(context) }
    func releaseObjects() { objects = [] }
    var checksum: Checksum { Checksum(objects) }
}

/// A dictionary that several holders share.
private final class GRDBMap {
    var map: [Int64: GRDBPostObject] = [:]
}

private final class GRDBObjects<Record: GRDBPostRecord>: ObjectHolder {
    private let queue: DatabaseQueue
    private let map: GRDBMap
    private var objects: [GRDBPostObject] = []

    init(_ queue: DatabaseQueue, _ map: GRDBMap) {
        self.queue = queue
        self.map = map
    }

    func fetch() throws {
        objects = try queue.read { database in
            let cursor = try Record.fetchCursor(database, SQLRequest<Record>(sql: PostSQL.select, cached: true))
            var objects: [GRDBPostObject] = []
            while let record = try cursor.next() {
                guard let id = record.id else { continue }
                if let known = map.map[id] {
                    objects.append(known)
                } else {
                    let object = GRDBPostObject(id: id, values: record.values)
                    map.map[id] = object
                    objects.append(object)
                }
            }
            return objects
        }
    }

    func copy() -> any ObjectHolder { GRDBObjects(queue, map) }
    func releaseObjects() { objects = [] }
    var checksum: Checksum { Checksum(objects.lazy.map(\.values)) }
}
