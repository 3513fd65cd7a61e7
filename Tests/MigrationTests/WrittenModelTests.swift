import AshlarSQLite
import Foundation
import GeneratorPipeline
import PlannedModel
import Testing

@testable import Ashlar

/// Stores of models that each test writes.
@Suite struct WrittenModelTests {
    let folder: TemporaryFolder
    var url: URL { folder.file() }

    init() throws { folder = try TemporaryFolder() }

    /// Returns a model of one version with the given XML, or of several.
    private func model(_ versions: String...) throws -> ModelDescription {
        let bundle = folder.file("Library.xcdatamodeld")
        for (index, entities) in versions.enumerated() {
            let name = index == 0 ? "Library" : "Library \(index + 1)"
            let version = bundle.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let type = "com.apple.IDECoreDataModeler.DataModel"
            try Data("<model type=\"\(type)\" documentVersion=\"1.0\">\(entities)</model>".utf8)
                .write(to: version.appendingPathComponent("contents"))
            try Data(
                "<plist><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>".utf8
            ).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        }
        let plan = try #require(ModelPlan.make(modelPath: bundle.path).plan)
        return try #require(ModelDescription.ofAllVersions(plan).last)
    }

    private func attribute(_ name: String, _ type: String, _ more: String = "") -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" \(more)/>"
    }

    /// Many first edits of a model change a version in place.
    @Test func aVersionThatWasEditedInPlaceTellsItsProperties() throws {
        func book(_ attributes: String...) throws -> ModelDescription {
            try model("<entity name=\"Book\">\(attributes.joined())</entity>")
        }
        try Harbour.open(url, book(attribute("title", "String"), attribute("pages", "Integer 64")))
        let edited = try book(attribute("title", "Binary"), attribute("isbn", "String"))
        #expect {
            try Harbour.open(url, edited)
        } throws: { error in
            guard case StoreError.unknownVersion(url, "Library", let differences) = error else { return false }
            return differences.dropFirst() == [
                "Book: differs", "Book.isbn: not in the store", "Book.pages: only in the store",
                "Book.title: is TEXT, not BLOB",
            ] && "\(error)".contains("it was probably edited after the store was made")
                && "\(error)".contains("rebuildsEditedVersions") && !"\(error)".contains("newer than the program")
        }
    }

    @Test func aDerivedSumBeyond64BitsUndoesTheMigration() throws {
        let item =
            "<entity name=\"Item\">\(attribute("amount", "Integer 64"))<relationship name=\"purse\" optional=\"YES\" "
            + "maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"Purse\" inverseName=\"items\" "
            + "inverseEntity=\"Purse\"/></entity>"
        func purse(_ attributes: String) -> String {
            "<entity name=\"Purse\">\(attribute("name", "String"))\(attributes)<relationship name=\"items\" optional=\"YES\" "
                + "toMany=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"Item\" inverseName=\"purse\" "
                + "inverseEntity=\"Item\"/></entity>"
        }
        try Harbour.open(url, model(purse("") + item))
        try Harbour.execute(
            url, "INSERT INTO Purse (name) VALUES ('p')",
            "INSERT INTO Item (amount, purse) VALUES (\(Int64.max), 1), (1, 1)")
        let sum = attribute("total", "Integer 64", "derived=\"YES\" derivationExpression=\"items.amount.@sum\"")
        let current = try model(purse("") + item, purse(sum) + item)
        #expect {
            try Harbour.open(url, current)
        } throws: { error in
            guard case StoreError.derivedOverflow(url, "Library", "Library 2", ["Purse.total"]) = error else {
                return false
            }
            return "\(error)".contains("the derived sum Purse.total would leave the range of 64-bit integers")
        }
        try Harbour.execute(url, "UPDATE Item SET amount = 2")
        try Harbour.open(url, current)
        let connection = try Harbour.connect(url)
        #expect(try connection.integer("SELECT total FROM Purse") == 4)
    }
}
