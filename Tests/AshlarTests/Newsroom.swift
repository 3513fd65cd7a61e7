import AshlarSQLite
import Foundation
import RandomNumbers
import Testing

@testable import Ashlar

/// A program that does not use Ashlar: SQLite alone, without additional collations or functions.
final class ForeignProgram {
    private let database: OpaquePointer

    init(_ url: URL, _ pragmas: String...) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE, nil)
        database = try #require(handle, "\(code)")
        sqlite3_busy_timeout(database, 5000)
        for pragma in pragmas { #expect(run("PRAGMA \(pragma)") == nil) }
    }

    deinit { sqlite3_close(database) }

    /// Runs statements. Returns SQLite's message if it refuses them.
    @discardableResult
    func run(_ sql: String) -> String? {
        if sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK { return nil }
        let message = String(cString: sqlite3_errmsg(database))
        if sqlite3_get_autocommit(database) == 0 { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
        return message
    }
}

/// All rows of a newsroom's store, read table by table without a join, and the values that the model derives from
/// them.
struct NewsroomDump {
    typealias Record = [String: Any]

    private var tables: [String: [Int: Record]] = [:]
    private var keywords: [(report: Int, tag: Int)] = []
    private var links: [(source: Int, target: Int)] = []

    private static let columns = [
        "Report": [
            "entity$", "title", "wordCount", "rating", "price", "author", "section", "authorName", "authorKey",
            "sectionKey", "sectionLabel", "publisherName", "shoutedTitle", "whisperedTitle", "keywordsCount", "tariff",
            "sidebarsCount", "subject",
        ],
        "Reporter": [
            "name", "publisher", "alias", "canonicalName", "reportsCount", "wordsTotal", "ratingTotal", "biography",
            "colleaguesCount",
        ],
        "Section": ["name", "tariff", "reportsCount"],
        "Dossier": [
            "name", "size", "parent", "childrenCount", "childrenSize", "parentName", "grandchildrenCount", "linksCount",
        ],
        "Portrait": ["text", "author", "authorName"],
        "Publisher": ["name", "reportsTotal"],
        "Sidebar": ["text", "feature", "featureTitle"],
        "Keyword": ["name", "reportsCount", "wordsTotal"],
    ]

    init(_ container: ModelContainer) throws {
        func rows(_ table: String, _ columns: [String]) throws -> [Record] {
            let pairs = columns.map { "'\($0)', \"\($0)\"" }.joined(separator: ", ")
            let text = try container.text("SELECT json_group_array(json_object(\(pairs))) FROM \"\(table)\"")
            let value = try JSONSerialization.jsonObject(with: Data((text ?? "[]").utf8))
            return (value as? [Record] ?? []).map { $0.filter { !($0.value is NSNull) } }
        }
        func integer(_ value: Any?) -> Int { value as? Int ?? 0 }
        for (table, columns) in Self.columns {
            for row in try rows(table, ["id$"] + columns) { tables[table, default: [:]][integer(row["id$"])] = row }
        }
        keywords = try rows("Keyword$reports", ["source$", "target$"]).map {
            (integer($0["target$"]), integer($0["source$"]))
        }
        links = try rows("Dossier$backlinks", ["source$", "target$"]).map {
            (integer($0["target$"]), integer($0["source$"]))
        }
    }

    func identifiers(_ table: String) -> [Int] { (tables[table] ?? [:]).keys.sorted() }

    private func row(_ table: String, _ identifier: Any?) -> Record? {
        (identifier as? Int).flatMap { tables[table]?[$0] }
    }

    private func rows(_ table: String, where column: String, _ identifier: Int) -> [Record] {
        (tables[table] ?? [:]).sorted { $0.key < $1.key }.map(\.value).filter { $0[column] as? Int == identifier }
    }

    private func sum(_ rows: [Record], _ column: String) -> Int { rows.reduce(0) { $0 + ($1[column] as? Int ?? 0) } }

    /// Descriptions of the stored values that differ from their derivation.
    var mistakes: [String] {
        var found: [String] = []
        for (table, rows) in tables.sorted(by: { $0.key < $1.key }) {
            for (identifier, row) in rows.sorted(by: { $0.key < $1.key }) {
                for (column, expected) in derived(table, identifier, row).sorted(by: { $0.key < $1.key }) {
                    let (expected, stored) = (Self.text(expected), Self.text(row[column]))
                    if expected != stored {
                        found.append("\(table) \(identifier).\(column) is \(stored) and not \(expected)")
                    }
                }
            }
        }
        return found
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case let text as String: "'\(text)'"
        case let number as NSNumber: "\(number.doubleValue)"
        case let value?: "\(value)"
        case nil: "nil"
        }
    }

    private func derived(_ table: String, _ identifier: Int, _ row: Record) -> [String: Any?] {
        switch table {
        case "Report": return report(identifier, row)
        case "Reporter": return author(identifier, row)
        case "Section": return ["reportsCount": rows("Report", where: "section", identifier).count]
        case "Dossier":
            let children = rows("Dossier", where: "parent", identifier)
            return [
                "childrenCount": children.count, "childrenSize": sum(children, "size"),
                "parentName": self.row("Dossier", row["parent"])?["name"],
                "grandchildrenCount": sum(children, "childrenCount"),
                "linksCount": links.count { $0.source == identifier && tables["Dossier"]?[$0.target] != nil },
            ]
        case "Portrait": return ["authorName": self.row("Reporter", row["author"])?["name"]]
        case "Publisher": return ["reportsTotal": sum(rows("Reporter", where: "publisher", identifier), "reportsCount")]
        case "Sidebar": return ["featureTitle": self.row("Report", row["feature"])?["title"]]
        case "Keyword":
            let reports = keywords.filter { $0.tag == identifier }.compactMap { tables["Report"]?[$0.report] }
            return ["reportsCount": reports.count, "wordsTotal": sum(reports, "wordCount")]
        default: return [:]
        }
    }

    private func report(_ identifier: Int, _ row: Record) -> [String: Any?] {
        let author = self.row("Reporter", row["author"])
        let section = self.row("Section", row["section"])
        let isFeature = row["entity$"] as? String == "Feature"
        return [
            "authorName": author?["name"], "authorKey": author?["canonicalName"],
            "sectionKey": (section?["name"] as? String).map(NewsroomName.canonical),
            "sectionLabel": section?["name"] ?? "none",
            "publisherName": self.row("Publisher", author?["publisher"])?["name"],
            "shoutedTitle": (row["title"] as? String)?.uppercased(),
            "whisperedTitle": (row["title"] as? String)?.lowercased(),
            "keywordsCount": keywords.count { $0.report == identifier && tables["Keyword"]?[$0.tag] != nil },
            "tariff": section?["tariff"],
            "sidebarsCount": isFeature ? rows("Sidebar", where: "feature", identifier).count : nil,
            "subject": isFeature ? row["title"] : nil,
        ]
    }

    private func author(_ identifier: Int, _ row: Record) -> [String: Any?] {
        let reports = rows("Report", where: "author", identifier)
        let publisher = self.row("Publisher", row["publisher"])?["id$"] as? Int
        return [
            "alias": row["name"], "canonicalName": (row["name"] as? String).map(NewsroomName.canonical),
            "reportsCount": reports.count, "wordsTotal": sum(reports, "wordCount"),
            "ratingTotal": reports.reduce(0) { $0 + ($1["rating"] as? Double ?? 0) },
            "biography": rows("Portrait", where: "author", identifier).compactMap { $0["text"] }.first,
            "colleaguesCount": publisher.map { rows("Reporter", where: "publisher", $0).count } ?? 0,
        ]
    }
}

/// Names in several scripts, with their canonical forms as a person would write them.
enum NewsroomName {
    static let forms = [
        ("Ada", "ada"), ("Éva Brünn", "eva brunn"), ("STRAẞE", "strasse"), ("Straße", "strasse"),
        ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("Ångström", "angstrom"), ("石田が", "石田か\u{3099}"), ("Łódź", "łodz"), ("Жёлтый", "желтыи"), ("İo", "io"),
        ("e\u{301}tude", "etude"), ("한글", "한글"), ("Ǆ ﬁ", "ǆ fi"), ("a\tb\nC", "a\tb\nc"), ("😀 A", "😀 a"), ("", ""),
    ]

    static func canonical(_ name: String) -> String {
        let base = String(name.prefix { $0 != "#" })
        let rest = name.dropFirst(base.count)
        return (forms.first { $0.0.unicodeScalars.elementsEqual(base.unicodeScalars) }?.1 ?? base)
            + rest.replacing("é", with: "e")
    }

    static func random(using generator: inout SeededGenerator) -> String {
        "\(forms.randomElement(using: &generator)?.0 ?? "")#\(Int.random(in: 0..<100_000, using: &generator))"
    }
}
