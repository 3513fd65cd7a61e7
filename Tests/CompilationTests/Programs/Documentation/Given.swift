// Declarations that pages use but do not show. The file is compiled with the pages and never run, so each value is a
// `fatalError()`.

import Ashlar
import AshlarSync
import AshlarTesting
import Foundation
import Observation

// A program's stores
var container: ModelContainer { fatalError() }
var other: ModelContainer { fatalError() }
var primary: ModelContainer { fatalError() }
var replica: ModelContainer { fatalError() }
var store: PersistentStore { fatalError() }
var configuration: ModelConfiguration {
    get { fatalError() }
    set {}
}
var directory: URL { fatalError() }
var url: URL { fatalError() }
var oldURL: URL { fatalError() }
var cloudURL: URL { fatalError() }
var oldCloudURL: URL { fatalError() }
var localURL: URL { fatalError() }
var oldLocalURL: URL { fatalError() }
var uri: URL { fatalError() }

// Its contexts and objects
var context: ModelContext { fatalError() }
var background: BackgroundContext { fatalError() }
var author: Author { fatalError() }
var authors: [Author.Values] { fatalError() }
var folder: Folder { fatalError() }
var editor: Author { fatalError() }
var person: Person { fatalError() }
var post: Post { fatalError() }
var red: Author { fatalError() }
var rouge: Author { fatalError() }
var identifier: PersistentIdentifier { fatalError() }

// Values for its fetches
var last: Post? { fatalError() }
var calendar: Calendar { fatalError() }
var data: Data { fatalError() }
var predicate: Predicate<Post> { fatalError() }
var query: FullTextQuery { fatalError() }
var typed: String { fatalError() }
var start: Date { fatalError() }
var end: Date { fatalError() }
var lastYear: Date { fatalError() }
var yesterday: Date { fatalError() }

// Its places in the history
var token: PersistentHistoryToken? {
    get { fatalError() }
    set {}
}
var sent: PersistentHistoryToken? {
    get { fatalError() }
    set {}
}
var lastToken: PersistentHistoryToken { fatalError() }
var oldestTokenInUse: PersistentHistoryToken { fatalError() }
var lastSync: Date { fatalError() }
var transaction: PersistentHistoryTransaction { fatalError() }
var changes: Changeset { fatalError() }

// Its logs; as all of this, compiled and never run
func openLog(_ name: String) async throws -> any SyncLog { fatalError() }
var log: any SyncLog { fatalError() }
var logURL: URL { fatalError() }
var sync: StoreSync { fatalError() }
actor Account {
    func token() throws -> String { fatalError() }
}
var account: Account { fatalError() }

// Its other types
struct Photo: Sendable {
    var name = ""
    var date = Date()
}
var photos: [Photo] { fatalError() }
var lines: AsyncStream<String> { fatalError() }
extension Post.Values {
    init(line: String) throws { self.init(timestamp: .now, title: line) }
}
struct Response { var lines: AsyncStream<String> { fatalError() } }
var response: Response { fatalError() }
func forget(_ url: URL) {}
func send(_ changes: Changeset) async throws {}
func send(_ posts: [Post.Values]) {}
func show(_ posts: [Post]) {}
func upload(_ transaction: PersistentHistoryTransaction) async throws {}
func refresh() throws {}
var alert: String {
    get { fatalError() }
    set {}
}
var isFull: Bool {
    get { fatalError() }
    set {}
}
struct Field { var text = "" }
var field: Field { fatalError() }
@MainActor final class ProgressBar {
    var value = 0.0
}
var bar: ProgressBar { fatalError() }
struct Metrics: Sendable { func record(_ event: StatementEvent) {} }
var metrics: Metrics { fatalError() }
struct NoticeLog { func notice(_ message: String) {} }
var logger: NoticeLog { fatalError() }
final class PostList: FetchedResultsControllerDelegate {
    typealias Model = Post
    typealias SectionName = Date?
}
var list: PostList { fatalError() }

// Types that the models name
enum Mood: String, Codable, Sendable { case calm, bright, other }
struct Keyword: Codable, Hashable, Sendable {
    var text: String
}
struct Color: Codable, Hashable, Sendable {
    var hex = 0
}
enum PaletteTransformer: AttributeTransformer {
    static func data(from value: [Color]) throws -> Data { try JSONEncoder().encode(value) }
    static func value(from data: Data) throws -> [Color] { try JSONDecoder().decode([Color].self, from: data) }
}

/// The model of a program that comes from SwiftData.
typealias TripsModel = PhotoFeedModel

/// The class that is generated for an entity whose class the program declares.
nonisolated class TrackProperties {}

// Its tests
var dark: Data { fatalError() }
var bright: Data { fatalError() }
var pair: MigrationPair { fatalError() }
enum PhotoFeedMigrations: SchemaMigrationPlan {
    static var stages: [MigrationStage] { [] }
}
