import DataModel
import Foundation
import Testing

@testable import ModelFormat

/// Edits of models that are made of several bundles.
@Suite struct MergedEditTests {
    private let folder: TemporaryFolder
    private static let order = """
            <entity name="Order">
                <relationship name="customer" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Customer" inverseName="orders" inverseEntity="Customer"/>
            </entity>
            <entity name="Person"/>
            <fetchRequest name="of" entity="Order" predicateString="customer.mail == $MAIL"/>
        """
    private static let customer = """
            <entity name="Customer" parentEntity="Person">
                <attribute name="mail" attributeType="String"/>
                <relationship name="orders" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Order" inverseName="customer" inverseEntity="Order"/>
            </entity>
            <entity name="Person"/>
        """

    init() throws {
        folder = try TemporaryFolder()
        for (bundle, text) in [("Shop", Self.order), ("Accounts", Self.customer)] {
            for version in [bundle, bundle + " 2"] {
                try folder.write(document(text), to: "\(bundle).xcdatamodeld/\(version).xcdatamodel/contents")
            }
            try folder.write(folder.versionFile(bundle + " 2"), to: "\(bundle).xcdatamodeld/.xccurrentversion")
        }
        try folder.write(
            #"{"merges": {"Accounts.xcdatamodeld": {"Shop": "Accounts", "Shop 2": "Accounts 2"}}}"#,
            to: "Shop.xcdatamodeld/ashlar.json")
    }

    private func path(_ bundle: String) -> String { "\(folder.path)/\(bundle).xcdatamodeld" }

    /// The changed lines by the name of the version.
    private func changes(_ edit: ModelEdit, of bundle: String) throws -> [String: [String]] {
        let before = try VersionText.current(
            ofModelAtPath: path(bundle), mergedInto: ["Shop", "Accounts"].map(path))
        var after = before
        try after.apply(edit)
        var result: [String: [String]] = [:]
        for (old, new) in zip(before.files, after.files) where old.bytes != new.bytes {
            #expect(old.path == new.path)
            let name = try #require(new.path.split(separator: "/").dropLast().last)
            result[String(name)] = LineDifference(from: old.bytes, to: new.bytes).changes.map(\.text)
                .filter { $0.hasPrefix("+") }
                .map { $0.dropFirst().trimmingCharacters(in: .whitespaces) }
        }
        return result
    }

    @Test(arguments: ["Shop", "Accounts"])
    func aPartIsRenamedInAllFiles(_ bundle: String) throws {
        #expect(
            try changes(.rename(.property("mail", of: "Customer"), to: "address"), of: bundle) == [
                "Accounts 2.xcdatamodel": [#"<attribute name="address" attributeType="String" elementID="mail"/>"#],
                "Shop 2.xcdatamodel": [
                    #"<fetchRequest name="of" entity="Order" predicateString="customer.address == $MAIL"/>"#
                ],
            ])
        let entity = try changes(.rename(.entity("Order"), to: "Purchase"), of: bundle)
        #expect(entity["Shop 2.xcdatamodel"]?.first == #"<entity name="Purchase" elementID="Order">"#)
        #expect(entity["Accounts 2.xcdatamodel"]?.first?.contains(#"destinationEntity="Purchase""#) == true)
        let relationship = try changes(.rename(.property("customer", of: "Order"), to: "buyer"), of: bundle)
        #expect(relationship["Accounts 2.xcdatamodel"]?.first?.contains(#"inverseName="buyer""#) == true)
        #expect(relationship["Shop 2.xcdatamodel"]?.count == 2)
    }

    @Test func aPartThatBothDeclareIsRenamedInBoth() throws {
        #expect(
            try changes(.rename(.entity("Person"), to: "Human"), of: "Shop") == [
                "Shop 2.xcdatamodel": [#"<entity name="Human" elementID="Person"/>"#],
                "Accounts 2.xcdatamodel": [
                    #"<entity name="Customer" parentEntity="Human">"#,
                    #"<entity name="Human" elementID="Person"/>"#,
                ],
            ])
    }

    @Test func anInverseIsAddedWhereItsEntityIs() throws {
        let new = ModelEdit.NewRelationship(
            .init("guests", isToMany: true), of: "Order", to: "Customer", inverse: .init("visits", isToMany: true))
        let added = try changes(.addRelationship(new), of: "Shop")
        #expect(added["Shop 2.xcdatamodel"]?.first?.contains(#"inverseName="visits" inverseEntity="Customer""#) == true)
        #expect(added["Accounts 2.xcdatamodel"]?.first?.contains(#"name="visits""#) == true)
        #expect(try changes(.addEntity("Item"), of: "Accounts").keys.sorted() == ["Accounts 2.xcdatamodel"])
    }

    @Test func anOlderVersionHasTheFilesOfItsTime() throws {
        let shop = try #require(ModelReader().read(atPath: path("Shop")).model)
        let version = try VersionText.version("Shop", of: shop, atPath: path("Shop"), ModelTexts(), mergedInto: [])
        #expect(
            version.files.map { $0.path.dropFirst(folder.path.count) } == [
                "/Shop.xcdatamodeld/Shop.xcdatamodel/contents", "/Accounts.xcdatamodeld/Accounts.xcdatamodel/contents",
            ])
    }
}
