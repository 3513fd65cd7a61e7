import AshlarSQLite
import Foundation
import Testing

@testable import AshlarTool
@testable import CachedModels

/// `ashlar import --make-model`.
@Suite struct MakeModelTests {
    /// Trips with stops, and with an index of each kind.
    private static func trips() -> Data {
        var model = KeptModel()
        func element(_ name: String, kind: Int64 = 0, isAscending: Bool = true) -> (KeptModel.Value, Int64, Bool) {
            (.text(name), kind, isAscending)
        }
        let indexes = [
            model.index("title", [element("title")]),
            model.index("code", [element("code")]),
            model.index("byCode", [element("code")]),
            model.index("byDate", [element("date", isAscending: false), element("title")]),
            model.index("byPlace", [element("x", kind: 1), element("y", kind: 1)]),
            model.index("upcoming", [element("date")], predicate: .text("a predicate")),
            model.index("byLength", [(.null, 0, true)]),
            model.index("byColour", [element("colour")]),
            model.index("byShape", [element("x", kind: 2)]),
        ]
        let trip = model.add(
            "NSEntityDescription",
            [
                "NSEntityName": .text("Trip"), "NSRenamingIdentifier": .text("Jour&ney"), "NSSuperentity": .null,
                "NSFetchIndexDescriptions": .list(indexes), "NSUniqueTuples": .list([.list([.text("code")])]),
                "NSCompoundIndexes": .list([.list([.text("date"), .text("title")])]),
            ])
        model.attribute("title", of: trip, isIndexed: true, before: "na\"me")
        model.attribute("code", of: trip, isIndexed: true)
        model.attribute("date", of: trip, type: 900)
        for name in ["x", "y"] { model.attribute(name, of: trip, type: 500) }
        model.relationship("stops", of: trip, to: "Stop", inverse: "trip", maximum: 0, before: "places")
        // As Core Data wrote it before Xcode 9.
        let stop = model.add(
            "NSEntityDescription",
            [
                "NSEntityName": .text("Stop"), "NSRenamingIdentifier": .text("Stop"), "NSSuperentity": .null,
                "NSCompoundIndexes": .list([
                    .list([.text("trip"), .text("name"), .text("self")]), .list([.text("colour")]),
                ]),
            ])
        model.attribute("name", of: stop, isIndexed: true)
        model.relationship("trip", of: stop, to: "Trip", inverse: "stops", maximum: 1)
        return model.data()
    }

    private func lines(_ model: CachedModel) -> [String] {
        model.document.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The lines from one with a prefix to one with a text.
    private func lines(_ model: CachedModel, from first: String, to last: String) -> [String] {
        let rest = lines(model).drop { !$0.hasPrefix(first) }
        return Array(rest.prefix { $0 != last })
    }

    @Test func whatThingsWereCalledBefore() throws {
        let lines = lines(try CachedModel(Self.trips()))
        let renamed = lines.filter { $0.contains("elementID") }
        #expect(
            renamed == [
                #"<entity name="Trip" representedClassName="Trip" elementID="Jour&amp;ney" syncable="YES">"#,
                #"<attribute name="title" optional="YES" attributeType="String" indexed="YES" elementID="na&quot;me"/>"#,
                #"<relationship name="stops" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Stop" "#
                    + #"inverseName="trip" inverseEntity="Stop" elementID="places"/>"#,
            ])
    }

    @Test func indexes() throws {
        let model = try CachedModel(Self.trips())
        #expect(
            lines(model, from: "<fetchIndex name=\"byCode", to: "</entity>") == [
                #"<fetchIndex name="byCode">"#,
                #"<fetchIndexElement property="code" type="Binary" order="ascending"/>"#,
                "</fetchIndex>",
                #"<fetchIndex name="byDate">"#,
                #"<fetchIndexElement property="date" type="Binary" order="descending"/>"#,
                #"<fetchIndexElement property="title" type="Binary" order="ascending"/>"#,
                "</fetchIndex>",
                #"<fetchIndex name="byPlace">"#,
                #"<fetchIndexElement property="x" type="RTree" order="ascending"/>"#,
                #"<fetchIndexElement property="y" type="RTree" order="ascending"/>"#,
                "</fetchIndex>",
                #"<fetchIndex name="upcoming">"#,
                #"<fetchIndexElement property="date" type="Binary" order="ascending"/>"#,
                "</fetchIndex>",
                "<uniquenessConstraints>",
                "<uniquenessConstraint>",
                #"<constraint value="code"/>"#,
                "</uniquenessConstraint>",
                "</uniquenessConstraints>",
            ])
        // Indexes that Core Data makes for indexed attributes do not belong to the model.
        #expect(!lines(model).contains { $0 == #"<fetchIndex name="title">"# || $0 == #"<fetchIndex name="code">"# })
        #expect(lines(model).contains(#"<attribute name="code" optional="YES" attributeType="String"/>"#))
        #expect(
            model.notes == [
                "the index upcoming of Trip has a predicate that is not written down here",
                "the index byLength of Trip is left out, since it is not one of properties alone",
                "the index byColour of Trip is left out, since it is not one of properties alone",
                "the index byShape of Trip is left out, since it is not one of properties alone",
                "an index of Stop is left out, since it is not one of properties alone",
            ])
    }

    @Test func indexesOfOldModels() throws {
        let model = try CachedModel(Self.trips())
        #expect(
            lines(model, from: "<entity name=\"Stop\"", to: "</entity>") == [
                #"<entity name="Stop" representedClassName="Stop" syncable="YES">"#,
                #"<attribute name="name" optional="YES" attributeType="String" indexed="YES"/>"#,
                #"<relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" "#
                    + #"inverseName="stops" inverseEntity="Trip"/>"#,
                #"<fetchIndex name="trip_name">"#,
                #"<fetchIndexElement property="trip" type="Binary" order="ascending"/>"#,
                #"<fetchIndexElement property="name" type="Binary" order="ascending"/>"#,
                "</fetchIndex>",
            ])
    }

    /// No sample shows how Core Data archives the parts of composites and derived attributes.
    @Test func compositesAndDerivedAttributesAreToBeDecided() throws {
        var kept = KeptModel()
        let trip = kept.add(
            "NSEntityDescription", ["NSEntityName": .text("Trip"), "NSRenamingIdentifier": .text("Trip")])
        kept.attribute("place", of: trip, type: 2100, className: "NSCompositeAttributeDescription")
        kept.attribute("count", of: trip, type: 300, className: "NSDerivedAttributeDescription", before: "number")
        let model = try CachedModel(kept.data())
        #expect(
            model.notes == [
                "Trip.place has a type that is not written down here (2100)",
                "Trip.count has a type that is not written down here (300)",
            ])
        #expect(lines(model).contains { $0.contains(#"name="count""#) && $0.contains(#"elementID="number""#) })
    }

    /// The model of a store, written by the tool, has no mistakes.
    @Test func theToolAcceptsWhatItMakes() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(
            opening: folder.file("old.sqlite").path, flags: 6)
        let bytes = Self.trips().map { String(format: "%02x", $0) }.joined()
        for statement in [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)", "INSERT INTO Z_MODELCACHE VALUES (x'\(bytes)')",
        ] { try connection.execute(statement) }
        let model = folder.file("Trips.xcdatamodeld").path
        for arguments in [["import", folder.file("old.sqlite").path, "--make-model", model], ["check", model]] {
            var command = try AshlarTool.parseAsRoot(arguments)
            try command.run()
        }
    }
}
