import DataModel
import Foundation
import ModelFormat
import SchemaMigration
import Testing

@testable import GeneratorPipeline

/// If a model has a lock file, its author reviews the changes of its versions.
@Suite struct ReviewTests {
    private static let first =
        #"<entity name="A"><attribute name="note" optional="YES" attributeType="String"/></entity>"#
    private static let second =
        #"<entity name="A"><attribute name="notes" optional="YES" attributeType="String"/></entity>"#

    private func makeModel(_ versions: [String]) throws -> RuleFolder {
        let folder = try RuleFolder()
        for (index, body) in versions.enumerated() {
            try folder.write(RuleFolder.document(body), to: "M.xcdatamodeld/\(Self.name(index)).xcdatamodel/contents")
        }
        return folder
    }

    private static func name(_ index: Int) -> String { index == 0 ? "M" : "M \(index + 1)" }

    private func plan(_ folder: RuleFolder, current: Int) -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        var configuration = GeneratorConfiguration()
        configuration.currentVersion = ["M": Self.name(current)]
        return ModelPlan.make(modelPath: folder.path + "/M.xcdatamodeld", configuration: configuration)
    }

    private func lock(_ folder: RuleFolder, versions count: Int) throws {
        var reader = ModelReader()
        reader.currentVersionName = "M"
        let bundle = try #require(reader.read(atPath: folder.path + "/M.xcdatamodeld").model)
        let file = LockFile(Array(bundle.versions.prefix(count)), path: LockFile.path(of: bundle))
        #expect(file.path == folder.path + "/M.xcdatamodeld.lock")
        try file.write(modelName: "M")
    }

    @Test("Which fix of what a migration deletes is made is for a person to choose")
    func chosenFixes() throws {
        let folder = try makeModel([Self.first, Self.second])
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
                <key>_XCCurrentVersionName</key><string>M 2.xcdatamodel</string>
            </dict></plist>
            """, to: "M.xcdatamodeld/.xccurrentversion")
        func text(_ choices: [Diagnostic.Code: FixChoice]) throws -> String? {
            let files = ModelFixer.fixedFiles(
                ofModelAtPath: folder.path + "/M.xcdatamodeld", alsoFixing: choices,
                findings: { MigrationFindings.find(in: $0, leadingTo: $1) })
            return files.first { !$0.applied.isEmpty }.map { String(decoding: $0.after, as: UTF8.self) }
        }
        #expect(try text([:]) == nil)
        #expect(try text([.possibleRenaming: .first])?.contains("elementID=\"note\"") == true)
        let removed = try #require(try text([.possibleRenaming: .last]))
        #expect(removed.contains(#"<entry key="ashlar.removed" value="note"/>"#))
        #expect(!removed.contains("elementID"))
        #expect(try text([.possibleRenaming: .position(3)]) == nil)
    }

    // MARK: Fixes that are asked for

    private func fixed(
        _ folder: RuleFolder, versions count: Int, _ choice: FixChoice
    ) throws -> (texts: [String], diagnostics: Diagnostics) {
        var reader = ModelReader()
        reader.currentVersionName = Self.name(count - 1)
        let files = ModelFixer.fixedFiles(
            ofModelAtPath: folder.path + "/M.xcdatamodeld", reader: reader,
            alsoFixing: [.migrationNotInferrable: choice],
            findings: { MigrationFindings.find(in: $0, leadingTo: $1) })
        for file in files where !file.applied.isEmpty { try ModelFixer.write(file) }
        #expect(files.flatMap(\.refused).isEmpty)
        return (files.map { String(decoding: $0.after, as: UTF8.self) }, plan(folder, current: count - 1).diagnostics)
    }

    /// The tags of tasks become objects, and are declared by the parent, by tasks, or by both.
    @Test(arguments: [true, false], [true, false])
    func whatBecomesARelationshipIsGivenUpWhereItWas(isOldInParent: Bool, isNewInParent: Bool) throws {
        let old = #"<attribute name="tags" optional="YES" attributeType="String"/>"#
        let new =
            #"<relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag"/>"#
        func document(_ property: String, inParent: Bool) -> String {
            """
            <entity name="Base">\(inParent ? property : "")</entity><entity name="Tag"/>\
            <entity name="Task" parentEntity="Base">\(inParent ? "" : property)</entity>\
            <entity name="Chore" parentEntity="Task"/>
            """
        }
        let folder = try makeModel([
            document(old, inParent: isOldInParent), document(new, inParent: isNewInParent),
        ])
        #expect(plan(folder, current: 1).diagnostics.hasErrors)
        let (texts, diagnostics) = try fixed(folder, versions: 2, .first)
        #expect(texts.map { $0.split(separator: "ashlar.removed").count - 1 } == [1])
        #expect(texts.first?.contains(#"<entry key="ashlar.removed" value="tags"/>"#) == true)
        #expect(!diagnostics.hasErrors)
    }

    @Test(arguments: [FixChoice.first, .position(2), .last])
    func anErrorOfAnEarlierStepIsFixedInItsVersion(_ choice: FixChoice) throws {
        func document(_ name: String, _ kind: String) -> String {
            """
            <entity name="Member"><relationship name="user" optional="YES" maxCount="1" deletionRule="Nullify" \
            destinationEntity="User" inverseName="\(name)" inverseEntity="User"/></entity>
            <entity name="User"><relationship name="\(name)" optional="YES" \(kind) deletionRule="Nullify" \
            destinationEntity="Member" inverseName="user" inverseEntity="Member"/></entity>
            """
        }
        let single = document("membership", #"maxCount="1""#)
        let folder = try makeModel([document("memberships", #"toMany="YES""#), single, single])
        #expect(plan(folder, current: 2).diagnostics.hasErrors)
        let (texts, _) = try fixed(folder, versions: 3, choice)
        #expect(texts.count == 1)
        #expect(texts.first?.contains(choice == .first ? #"toMany="YES""# : #"value="lossless""#) == true)
        let errors = plan(folder, current: 2).diagnostics.all.filter { $0.severity == .error }
        #expect(!errors.contains { $0.location.file.contains("M 2.xcdatamodel") })
    }

    @Test func withoutALockFileNothingNeedBeNamed() throws {
        let folder = try makeModel([Self.first, Self.second])
        let (plan, diagnostics) = plan(folder, current: 1)
        #expect(plan != nil)
        #expect(diagnostics.all.map(\.code) == [.possibleRenaming])
        #expect(diagnostics.all.map(\.severity) == [.warning])
    }

    @Test func withOneALossIsAnErrorUntilOneOfItsFixesIsMade() throws {
        let folder = try makeModel([Self.first, Self.second])
        try lock(folder, versions: 1)
        let (result, diagnostics) = plan(folder, current: 1)
        #expect(result == nil)
        let finding = try #require(diagnostics.all.first { $0.severity == .error })
        #expect(finding.code == .possibleRenaming)
        #expect(finding.fixes.count == 2)
        let file = "M.xcdatamodeld/M 2.xcdatamodel/contents"
        let text = RuleFolder.document(Self.second)
        var statements: [Int] = []
        for fix in finding.fixes {
            try folder.write(text, to: file)
            var resolver = FindingResolver()
            let made = resolver.edits(of: fix)
            let edits = try #require(made)
            try folder.write(String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self), to: file)
            let (plan, diagnostics) = plan(folder, current: 1)
            #expect(diagnostics.all.isEmpty)
            let migration = try #require(plan).versions[1].migration
            statements.append(migration.count { $0.sql.contains("RENAME COLUMN") })
        }
        #expect(statements == [1, 0])
    }

    @Test func aReleasedVersionNeedNameNothingAnyMore() throws {
        let folder = try makeModel([Self.first, Self.second, Self.second])
        try lock(folder, versions: 2)
        #expect(plan(folder, current: 2).diagnostics.all.isEmpty)
        try lock(folder, versions: 1)
        #expect(plan(folder, current: 2).diagnostics.hasErrors)
    }

    @Test func aChangedVersionStopsTheBuildWhicheverIsCurrent() throws {
        let folder = try makeModel([Self.first, Self.first, Self.first])
        try lock(folder, versions: 2)
        #expect(plan(folder, current: 2).plan != nil)
        try folder.write(RuleFolder.document(Self.second), to: "M.xcdatamodeld/M.xcdatamodel/contents")
        for current in 0...2 {
            let (plan, diagnostics) = plan(folder, current: current)
            #expect(plan == nil)
            #expect(diagnostics.all.contains { $0.code == .releasedVersionChanged && $0.location.line == 3 })
        }
    }

    @Test func aLockFileThatIsNoneStopsTheBuild() throws {
        let folder = try makeModel([Self.first])
        try folder.write("garbage\n", to: "M.xcdatamodeld.lock")
        let (plan, diagnostics) = plan(folder, current: 0)
        #expect(plan == nil)
        #expect(diagnostics.all.map(\.code) == [.invalidLockFile])
        #expect(diagnostics.all.map(\.description).first?.hasPrefix("\(folder.path)/M.xcdatamodeld.lock:1:1: ") == true)
    }
}

/// The SQL as files to commit.
@Suite struct SQLFilesTests {
    private func makePlan(_ folder: RuleFolder, _ bodies: [String]) throws -> ModelPlan {
        for (index, body) in bodies.enumerated() {
            let name = index == 0 ? "M" : "M \(index + 1)"
            try folder.write(RuleFolder.document(body), to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        var configuration = GeneratorConfiguration()
        configuration.currentVersion = ["M": bodies.count == 1 ? "M" : "M \(bodies.count)"]
        let (plan, diagnostics) = ModelPlan.make(
            modelPath: folder.path + "/M.xcdatamodeld", configuration: configuration)
        #expect(!diagnostics.hasErrors)
        return try #require(plan)
    }

    private static let bodies = [
        #"<entity name="A"><attribute name="a" optional="YES" attributeType="String"/></entity>"#,
        #"<entity name="A"><attribute name="b" optional="YES" attributeType="String" elementID="a"/></entity>"#,
    ]

    @Test func theFilesHoldTheSchemaAndEachMigrationWithItsSteps() throws {
        let files = SQLFiles(try makePlan(try RuleFolder(), Self.bodies))
        #expect(files.texts.keys.sorted() == ["M to M 2.sql", "schema.sql"])
        let migration = try #require(files.texts["M to M 2.sql"])
        #expect(migration.contains("\n-- rename attribute A.a to A.b\n"))
        #expect(migration.contains("\nPRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\n"))
        #expect(migration.contains("\nALTER TABLE \"A\" RENAME COLUMN \"a\" TO \"b\";\n"))
        #expect(migration.hasSuffix("\nPRAGMA foreign_key_check;\nCOMMIT;\n"))
        #expect(files.texts["schema.sql"]?.contains("CREATE TABLE \"A\" (\n") == true)
    }

    @Test func filesThatDifferAreToldAndWrittenAndThoseOfOthersAreLeft() throws {
        let folder = try RuleFolder()
        let root = URL(fileURLWithPath: folder.path).appending(path: "sql")
        func names(_ differences: [SQLFiles.Difference]) -> [String] {
            differences.map {
                switch $0 {
                case .missing(let url): "missing \(url.lastPathComponent)"
                case .stale(let url): "stale \(url.lastPathComponent)"
                case .superfluous(let url): "superfluous \(url.lastPathComponent)"
                }
            }
        }
        let files = SQLFiles(try makePlan(folder, Self.bodies))
        #expect(names(try files.differences(from: root)) == ["missing M to M 2.sql", "missing schema.sql"])
        #expect(!FileManager.default.fileExists(atPath: root.path))
        try files.write(to: root)
        #expect(try files.differences(from: root).isEmpty)
        #expect(try files.write(to: root).isEmpty)
        try folder.write("mine", to: "sql/M/mine.sql")
        let older = SQLFiles(try makePlan(try RuleFolder(), [Self.bodies[0]]))
        #expect(names(try older.write(to: root)) == ["stale schema.sql", "superfluous M to M 2.sql"])
        #expect(try older.differences(from: root).isEmpty)
        #expect(FileManager.default.fileExists(atPath: root.appending(path: "M/mine.sql").path))
    }
}
