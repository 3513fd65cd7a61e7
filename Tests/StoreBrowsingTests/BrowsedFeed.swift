import AshlarSQLite
import Foundation
import GeneratorPipeline
import PlannedModel
import RandomNumbers

@testable import Ashlar
@_spi(Studio) @testable import StoreBrowsing

/// A store with attributes of every type, relationships of every form, an R-tree and a history, in a folder of its own.
final class BrowsedFeed: Sendable {
    let folder: URL
    let model: String
    let url: URL

    /// Makes an empty store.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        url = folder.appendingPathComponent("Feed.store")
        let bundle = folder.appendingPathComponent("Feed.xcdatamodeld")
        model = bundle.path
        let version = bundle.appendingPathComponent("Feed.xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Self.contents.write(to: version.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        guard let plan = ModelPlan.make(modelPath: model).plan else { throw CocoaError(.fileReadCorruptFile) }
        let opened = try StoreOpener(
            model: ModelDescription(plan),
            configuration: ModelConfiguration(url: url, options: StoreOptions(historyTracking: true)),
            monitor: MigrationMonitor()
        ).open()
        try opened.pool.write { connection in try connection.execute("SELECT 1") }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func browser() throws -> StoreBrowser { try StoreBrowser(url, model: model) }

    /// Runs statements as another program does.
    func execute(_ statements: [(String, [SQLiteValue])]) throws {
        let connection = try Connection(toWrite: url)
        try connection.execute("BEGIN IMMEDIATE")
        for (text, values) in statements { _ = try connection.rows(text, values) }
        try connection.execute("COMMIT")
    }

    func rows(_ sql: String) throws -> [[SQLiteValue]] {
        try Connection(opening: url.path, flags: SQLITE_OPEN_READONLY, functions: nil).rows(sql)
    }

    /// The columns of a post whose values are random.
    static let columns = [
        "small", "middle", "large", "price", "score", "ratio", "title", "isNew", "date", "cover", "key", "link",
    ]

    /// A value for a column: few of them, so that many rows are equal, and often none.
    static func value(_ column: String, _ random: inout SeededGenerator) -> SQLiteValue {
        if random.oneIn(4) { return .null }
        let number = random.number(0..<6)
        switch column {
        case "small", "middle": return .integer(Int64(number - 3))
        case "large": return .integer([.min, -1, 0, 1, 1 << 53 + 1, .max][number])
        case "price": return .text(["0", "-1.5", "10", "9", "0.1", "100000000000000000000"][number])
        case "score": return .real([-.infinity, -0.5, 0, 0.25, 1e300, .infinity][number])
        case "ratio": return .real([-.infinity, -0.5, 0, 0.25, 0x1p100, .infinity][number])
        case "title": return .text(["", "a", "b<i>", "\u{0}x", "é", String(repeating: "long ", count: 200)][number])
        case "isNew": return .integer(Int64(number & 1))
        case "date": return .real([-1e9, 0, 0.1, 700_000_000, 700_000_000.5, 1e12][number])
        case "key": return .blob(Data(repeating: UInt8(number), count: 16))
        case "link": return .text(["a:", "https://a.example", "https://b.example/%20", "x", "y", "z"][number])
        default: return .blob(Data(repeating: UInt8(number), count: number * 100))
        }
    }

    /// Adds posts, some of them videos, with authors and tags.
    func fill(_ count: Int, _ random: inout SeededGenerator) throws {
        var statements: [(String, [SQLiteValue])] = []
        for number in 1...5 {
            statements.append(
                (
                    "INSERT INTO \"Author\" (\"id$\", \"name\") VALUES (?1, ?2)",
                    [.integer(Int64(number)), .text("Author \(number)")]
                ))
            statements.append(
                (
                    "INSERT INTO \"Tag\" (\"id$\", \"name\") VALUES (?1, ?2)",
                    [.integer(Int64(number)), .text("Tag \(number)")]
                ))
        }
        let list = Self.columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let places = (4..<4 + Self.columns.count).map { "?\($0)" }.joined(separator: ", ")
        for number in 1...count {
            let kind = random.oneIn(4) ? "Video" : "Post"
            let author: SQLiteValue = random.oneIn(5) ? .null : .integer(Int64(random.number(1..<6)))
            statements.append(
                (
                    "INSERT INTO \"Post\" (\"id$\", \"entity$\", \"author\", \(list)) VALUES (?1, ?2, ?3, \(places))",
                    [.integer(Int64(number * 3)), .text(kind), author] + Self.columns.map { Self.value($0, &random) }
                ))
        }
        try execute(statements)
    }

    private static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Post">
                <attribute name="small" optional="YES" attributeType="Integer 16"/>
                <attribute name="middle" optional="YES" attributeType="Integer 32" minValueString="-10" maxValueString="10"/>
                <attribute name="large" optional="YES" attributeType="Integer 64"/>
                <attribute name="price" optional="YES" attributeType="Decimal"/>
                <attribute name="score" optional="YES" attributeType="Double"/>
                <attribute name="ratio" optional="YES" attributeType="Float"/>
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="isNew" optional="YES" attributeType="Boolean"/>
                <attribute name="date" optional="YES" attributeType="Date"/>
                <attribute name="cover" optional="YES" attributeType="Binary"/>
                <attribute name="key" optional="YES" attributeType="UUID"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
                <attribute name="latitude" attributeType="Double" defaultValueString="0"/>
                <attribute name="longitude" attributeType="Double" defaultValueString="0"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="posts" inverseEntity="Author"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="posts" inverseEntity="Tag"/>
                <fetchIndex name="byLarge"><fetchIndexElement property="large" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="byPlace"><fetchIndexElement property="latitude" type="RTree" order="ascending"/>\
        <fetchIndexElement property="longitude" type="RTree" order="ascending"/></fetchIndex>
            </entity>
            <entity name="Video" parentEntity="Post">
                <attribute name="length" optional="YES" attributeType="Float"/>
            </entity>
            <entity name="Author">
                <attribute name="name" attributeType="String" defaultValueString="" minValueString="2" regularExpressionString="[A-Z].*"/>
                <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Post" \
        inverseName="author" inverseEntity="Post"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>\
        </uniquenessConstraints>
            </entity>
            <entity name="Tag">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Post" \
        inverseName="tags" inverseEntity="Post"/>
            </entity>
        </model>
        """
}
