import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import Testing

/// Every word of Swift and of SQLite, and names that people and programs use, in every role. Names that the checker
/// accepts must compile without a warning; it must report the others.
@Suite(Compiler.condition) struct HostileNamesTests {
    /// All keywords of Swift, those that are such in some places only too, and names of its standard types.
    static let swiftWords = words(
        """
        Any Protocol Self Type actor any as associatedtype associativity async await borrowing break case catch class
        consume consuming continue convenience copy default defer deinit didSet discard do dynamic each else enum
        extension fallthrough false fileprivate final for func get guard if import in indirect infix init inout internal
        is isolated lazy left let macro mutating nil none nonisolated nonmutating open operator optional override package
        postfix precedence precedencegroup prefix private protocol public repeat required rethrows return right self
        sending set some static struct subscript super switch then throw throws transferring true try typealias unowned
        unsafe var weak where while willSet yield _modify _read modify read unchecked column file function line
        Array Bool Character Codable Data Date Decimal Dictionary Double Error Equatable Float Hashable Int Never Optional
        Result Sendable Sequence Set String Task UUID URL Void Main MainActor Actor Mutex ObservationRegistrar
        """)

    /// Names of members that generated classes and columns have, and names close to them.
    static let members = words(
        """
        id values hashValue hash description debugDescription entity context modelContext persistentModelID hasChanges
        isInserted isDeleted delete insert save fetch order all count first last model schema versions modelDescription
        Values Own Columns Column Model Base Element row statement snapshot mask old new changes column position path
        state encode decode CodingKeys allCases rawValue object objectID managedObjectContext awake validate observe
        """)

    /// The keywords in https://sqlite.org/lang_keywords.html, and SQLite's names of the rowid.
    static let sqliteWords = words(
        """
        ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY CASCADE
        CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME
        CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE
        EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP
        GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN
        KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER
        OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX
        RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN
        TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH
        WITHOUT rowid oid _rowid_ sqlite_master sqlite_x
        """)

    static let otherNames = [
        "日本語", "Größe", "e\u{301}tat", "العربية", "Ελλάδα", "имя", "नाम", "ชื่อ", "🦁", "👩‍👩‍👧‍👦", "Ａ", "ﬁx", "a b", "1a", "a-b",
        "a.b",
        "", " ", "_", "__", "$a", "a$b", "`a`", "a\u{200D}b", "a\u{202E}b", "a\u{A0}b", "a'b", "a\"b", "a\\b", "a/b",
        "a;b",
        "\u{301}a", "ı", "İx", "ǆ", "\u{1F}", "a\u{0}b", "ªb", "²", "a²", String(repeating: "long", count: 60),
    ]

    private static func words(_ text: String) -> [String] { text.split { $0.isWhitespace }.map(String.init) }

    private static func escaped(_ name: String) -> String {
        name.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "\"", with: "&quot;")
            .replacingOccurrences(of: "<", with: "&lt;")
    }

    /// A model with names as those of entities, attributes, relationships, composites, their attributes and templates.
    private static func document(_ names: [String]) -> String {
        let escaped = names.map { Self.escaped($0) }
        let attributes = escaped.enumerated().map { index, name in
            let types = ["String", "Integer 64", "Boolean", "Date", "Decimal"]
            return "<attribute name=\"\(name)\" attributeType=\"\(types[index % types.count])\" optional=\"YES\"/>"
        }.joined()
        let toOne = escaped.map { name in
            "<relationship name=\"\(name)\" maxCount=\"1\" optional=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"SecondOfAll\" inverseName=\"\(name)\" inverseEntity=\"SecondOfAll\"/>"
        }.joined()
        let toMany = toOne.replacingOccurrences(of: "maxCount=\"1\"", with: "toMany=\"YES\"")
            .replacingOccurrences(of: "SecondOfAll", with: "FirstOfAll")
        let entities = escaped.map { name in
            "<entity name=\"\(name)\"><attribute name=\"name\" attributeType=\"String\" optional=\"YES\"/></entity>"
        }.joined()
        let composites = escaped.prefix(40).map { name in
            "<composite name=\"\(name)Parts\"><attribute name=\"\(name)\" attributeType=\"String\" optional=\"YES\"/>"
                + "<attribute name=\"other\" attributeType=\"Date\" optional=\"YES\"/></composite>"
        }.joined()
        let composed = escaped.prefix(40).map { name in
            "<attribute name=\"\(name)\" attributeType=\"Composite\" composite=\"\(name)Parts\" optional=\"YES\"/>"
        }.joined()
        let templates = escaped.map { name in
            "<fetchRequest name=\"\(name)\" entity=\"WithAttributes\" predicateString=\"1 == 1\"/>"
        }.joined()
        return """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="WithAttributes">\(attributes)</entity><entity name="FirstOfAll">\(toOne)</entity>
            <entity name="SecondOfAll">\(toMany)</entity><entity name="Composed">\(composed)</entity>
            <entity name="WithoutProperties"/><entity name="NothingMore" parentEntity="WithoutProperties"/>
            \(entities)\(composites)\(templates)
            </model>
            """
    }

    private static func errors(_ names: [String]) -> Diagnostics {
        let (model, found) = ModelReader.read(contents: Array(document(names).utf8), named: "Names", file: "contents")
        guard let model, !found.hasErrors else { return found }
        return ModelChecker.check(model)
    }

    /// The names that the checker accepts one by one, without repetitions that differ only in case.
    private static func legal(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { !errors([$0]).hasErrors && seen.insert($0.lowercased()).inserted }
    }

    @Test(arguments: ["Swift", "SQLite", "members", "others"])
    func whatIsTakenCompiles(_ kind: String) throws {
        let names =
            ["Swift": Self.swiftWords, "SQLite": Self.sqliteWords, "members": Self.members][kind] ?? Self.otherNames
        let legal = Self.legal(names)
        #expect(legal.count > names.count / 4)
        let folder = try GenerationFolder()
        let files = try folder.generate(Self.document(legal))
        let complaints = try Compiler.complaints(about: files)
        #expect(complaints.isEmpty, "\(complaints.prefix(3000))")
    }

    @Test func namesThatDifferInCaseOnlyAreErrors() {
        for pair in [["name", "Name"], ["größe", "GRÖßE"], ["select", "SELECT"]] {
            let codes = Set(Self.errors(pair).all.filter { $0.severity == .error }.map(\.code))
            #expect(codes.isSuperset(of: pair[0] == "größe" ? [] : [.duplicateEntity, .duplicateProperty]), "\(pair)")
        }
    }
}
