import Ashlar
import AshlarImport
import Foundation
import Testing

/// Old stores with data that the model does not allow. The import reports everything that it keeps or drops.
@Suite struct InvalidDataTests {
    private let folder: TemporaryFolder
    private let old: MuseumStore

    init() throws {
        folder = try TemporaryFolder()
        old = try MuseumStore(folder.file("Museum.sqlite"))
        try old.fill()
    }

    /// A change of the old store, and the expected findings.
    struct Case: Sendable, CustomTestStringConvertible {
        var sql: String
        var findings: [String]

        var testDescription: String { sql }
    }

    static let cases = [
        Case(
            sql: "UPDATE ZPERSON SET ZAGE = 40000 WHERE Z_PK = 1", findings: ["invalidValue Person.age 1 40000 setsNil"]
        ),
        Case(
            sql: "UPDATE ZPERSON SET ZAGE = 'old' WHERE Z_PK = 2",
            findings: ["invalidValue Person.age 2 \"old\" setsNil"]),
        Case(
            sql: "UPDATE ZPERSON SET ZISALIVE = 2",
            findings: [1, 2, 3].map { "invalidValue Person.isAlive \($0) 2 setsDefault" }),
        Case(
            sql: "UPDATE ZPERSON SET ZIDENTITY = x'00' WHERE Z_PK = 3",
            findings: ["invalidValue Person.identity 3 bytes setsNil"]),
        Case(
            sql: "UPDATE ZPERSON SET ZPORTRAIT = x'0300' WHERE Z_PK = 3",
            findings: ["missingFile Person.portrait 3 bytes setsNil"]),
        Case(
            sql:
                "UPDATE ZPERSON SET ZPORTRAIT = CAST(x'02' || '../../../../../../../etc/passwd' AS BLOB) WHERE Z_PK = 3",
            findings: ["missingFile Person.portrait 3 bytes setsNil"]),
        Case(
            sql: "UPDATE ZPERSON SET ZSALARY = 'much' WHERE Z_PK = 3",
            findings: ["invalidValue Person.salary 3 \"much\" setsNil"]),
        Case(
            sql: "UPDATE ZITEM SET ZACQUIRED = 'never' WHERE Z_PK = 1",
            findings: ["invalidValue Item.acquired 1 \"never\" setsNil"]),
        Case(
            sql: "UPDATE ZITEM SET ZNAME = NULL WHERE Z_PK = 5",
            findings: ["missingValue Item.name 5 nothing setsDefault"]),
        Case(
            sql: "UPDATE ZITEM SET ZARTIST = 99 WHERE Z_PK = 2",
            findings: [
                "danglingReference Artwork.artist 2 Person 99 setsNil",
                "derivedDifference Person.worksCount 1 3 computesAnew",
            ]),
        // A reference to a specimen in place of a painting.
        Case(
            sql: "UPDATE ZITEM SET ZFRAME = 1 WHERE Z_PK = 2",
            findings: [
                "danglingReference Painting.frame 2 Specimen 1 setsNil",
                "oneSidedReference Specimen.framed 5 Painting 2 setsNil",
            ]),
        Case(
            sql: "UPDATE ZPERSON SET ZPUPIL = 2 WHERE Z_PK = 1",
            findings: ["oneSidedReference Person.pupil 1 Person 2 setsNil"]),
        Case(
            sql: "INSERT INTO Z_1TAGS VALUES (5, 77, 2048)",
            findings: ["danglingReference Item.tags 5 Tag 77 leavesOutPair"]),
        Case(
            sql: "INSERT INTO Z_6FRIENDOF VALUES (88, 1)",
            findings: ["danglingReference Person.friendOf 1 Person 88 leavesOutPair"]),
        Case(
            sql: "UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 3",
            findings: [
                "unknownObject Item. 3 entity 77 leavesOutObject", "danglingReference Item.tags 3 Tag 1 leavesOutPair",
                "derivedDifference Person.worksCount 1 3 computesAnew",
            ]),
        // The root entity is abstract, and has no objects.
        Case(
            sql: "UPDATE ZITEM SET Z_ENT = 1, ZFRAMED = NULL WHERE Z_PK = 5",
            findings: [
                "unknownObject Item. 5 entity 1 leavesOutObject",
                "danglingReference Painting.frame 2 Specimen 5 setsNil",
            ]),
        Case(
            sql: "UPDATE ZROOM SET ZNUMBER = 1",
            findings: ["duplicate Room.number 2 1 leavesOutObject", "danglingReference Item.room 3 Room 2 setsNil"]),
    ]

    private func line(_ finding: ImportFinding) -> String {
        let found = finding.kind == .duplicate ? "1" : finding.found
        return
            "\(finding.kind.rawValue) \(finding.entity).\(finding.property) \(finding.key) \(found) \(finding.remedy.rawValue)"
    }

    @Test("row 168: what the model does not allow is told, and repaired where that is asked for", arguments: cases)
    func everyKind(_ example: Case) throws {
        try old.run(example.sql)
        let before = try old.content()
        let url = folder.file("new.store")
        let isHarmless = example.findings.allSatisfy { $0.hasPrefix("derived") }
        var source = StoreImport(url: old.url)
        if !isHarmless {
            #expect {
                try ModelContainer.importStore(source, to: url, for: MuseumModel.self)
            } throws: { error in
                guard let error = error as? ImportError, error.code == .invalidData, let report = error.report else {
                    return false
                }
                return report.findingCount > 0 && "\(error)".contains("repair")
            }
            #expect(try folder.names() == [".Museum_SUPPORT", "Museum.sqlite"])
        }
        source.repairsData = true
        let report = try ModelContainer.importStore(source, to: url, for: MuseumModel.self)
        #expect(Set(report.findings.map(line)) == Set(example.findings))
        #expect(report.findingCount == report.findings.count)
        #expect(try old.content() == before)
        let context = ModelContext(try ModelContainer(for: MuseumModel.self, at: url))
        #expect(try context.fetch(Person.all).count == 3)
        for item in try context.fetch(Item.all) { #expect(!item.name.isEmpty) }
    }

    @Test("row 168: objects that cannot be without others go with them")
    func manyFindings() throws {
        // 1500 values of one kind: all are counted, and the report lists as many as it has room for.
        let values = (100..<1600).map { "(\($0), 6, 1, 0, 0, 'x', 99999)" }.joined(separator: ", ")
        try old.run("INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZISALIVE, ZNAME, ZAGE) VALUES \(values)")
        var source = StoreImport(url: old.url)
        source.repairsData = true
        let report = try ModelContainer.importStore(source, to: folder.file("new.store"), for: MuseumModel.self)
        #expect(report.findings.filter { $0.property == "age" }.count == ImportReport.findingLimit)
        #expect(report.findingCount >= 1500 && report.objects["Person"] == 1503)
    }

    @Test func aDerivedSumBeyond64BitsIsAnErrorThatNamesTheAttribute() throws {
        let garage = try GarageStore(versions: [
            """
            <entity name="Vehicle">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="weight" optional="YES" attributeType="Integer 64"/>
                <attribute name="total" optional="YES" attributeType="Integer 64" derived="YES"
                    derivationExpression="parts.weight.@sum"/>
                <relationship name="parts" optional="YES" toMany="YES" deletionRule="Nullify"
                    destinationEntity="Vehicle" inverseName="whole" inverseEntity="Vehicle"/>
                <relationship name="whole" optional="YES" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Vehicle" inverseName="parts" inverseEntity="Vehicle"/>
            </entity>
            """
        ])
        try garage.write([("Vehicle", 0)], hashes: [])
        try garage.run(
            "ALTER TABLE ZVEHICLE DROP COLUMN ZDOORS", "ALTER TABLE ZVEHICLE DROP COLUMN ZPRICE",
            "ALTER TABLE ZVEHICLE DROP COLUMN ZSPEED", "ALTER TABLE ZVEHICLE ADD COLUMN ZWEIGHT INTEGER",
            "ALTER TABLE ZVEHICLE ADD COLUMN ZTOTAL INTEGER", "ALTER TABLE ZVEHICLE ADD COLUMN ZWHOLE INTEGER",
            """
            INSERT INTO ZVEHICLE (Z_PK, Z_ENT, Z_OPT, ZWEIGHT, ZWHOLE)
            VALUES (2, 1, 1, \(Int64.max), 1), (3, 1, 1, 1, 1)
            """)
        for repairs in [false, true] {
            #expect {
                try garage.importStore { $0.repairsData = repairs }
            } throws: { error in
                (error as? ImportError)?.code == .derivedOverflow && "\(error)".contains("Vehicle.total")
            }
        }
    }
}
