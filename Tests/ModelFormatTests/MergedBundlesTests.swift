import DataModel
import Foundation
import ModelFormat
import Testing

/// Models that are made of several bundles.
@Suite struct MergedBundlesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a version with the named entities. Each entity has the attribute.
    private func write(_ version: String, _ bundle: String, _ entities: [String], attribute: String = "a") throws {
        let text = entities.map {
            "<entity name=\"\($0)\"><attribute name=\"\(attribute)\" attributeType=\"String\"/></entity>"
        }
        try folder.write(document(text.joined()), to: "\(bundle).xcdatamodeld/\(version).xcdatamodel/contents")
    }

    private func choose(_ version: String, _ bundle: String) throws {
        try folder.write(folder.versionFile(version), to: "\(bundle).xcdatamodeld/.xccurrentversion")
    }

    private func merges(_ json: String, into bundle: String = "Shop") throws {
        try folder.write("{\"merges\": \(json)}", to: "\(bundle).xcdatamodeld/ashlar.json")
    }

    private func read(_ bundle: String = "Shop") -> (entities: [String: [String]], findings: [String]) {
        let (model, diagnostics) = ModelReader().read(atPath: "\(folder.path)/\(bundle).xcdatamodeld")
        let entities = (model?.versions ?? []).map { ($0.name, $0.entities.map(\.name)) }
        return (
            Dictionary(uniqueKeysWithValues: entities),
            diagnostics.all.map { "\($0.severity) \($0.code.rawValue): \($0.message)" }
        )
    }

    @Test func eachVersionHasThatOfTheOther() throws {
        for version in ["Shop", "Shop 2", "Shop 3", "Shop 4"] { try write(version, "Shop", ["Item"]) }
        try choose("Shop 4", "Shop")
        try write("Accounts", "Accounts", ["Account"])
        try write("Accounts 2", "Accounts", ["Account", "Key", "Item"])
        try choose("Accounts 2", "Accounts")
        try merges(#"{"Accounts.xcdatamodeld": {"Shop 2": "Accounts", "Shop 4.xcdatamodel": "Accounts 2"}}"#)
        let (entities, findings) = read()
        #expect(
            entities == [
                "Shop": ["Item"], "Shop 2": ["Item", "Account"], "Shop 3": ["Item", "Account"],
                "Shop 4": ["Item", "Account", "Key"],
            ])
        #expect(findings.isEmpty)
    }

    @Test func bundlesOfBundles() throws {
        for (bundle, other) in [("Shop", "Accounts"), ("Accounts", "Keys")] {
            try write(bundle, bundle, [bundle + "Entity"])
            try merges("{\"\(other).xcdatamodeld\": {\"\(bundle)\": \"\(other)\"}}", into: bundle)
        }
        try write("Keys", "Keys", ["KeysEntity"])
        #expect(read().entities == ["Shop": ["ShopEntity", "AccountsEntity", "KeysEntity"]])
        try merges(#"{"./Shop.xcdatamodeld": {"Keys": "Shop"}}"#, into: "Keys")
        #expect(read().findings.contains { $0.contains("is merged into itself") })
    }

    @Test func whatDoesNotFitIsReported() throws {
        try write("Shop", "Shop", ["Item"])
        try write("Accounts", "Accounts", ["Item"], attribute: "b")
        try write("Accounts 2", "Accounts", ["Account"])
        try choose("Accounts 2", "Accounts")
        try folder.write("SELECT 1;", to: "Accounts.xcdatamodeld/Accounts 2.sql")
        try merges(#"{"Accounts.xcdatamodeld": {"Shop": "Accounts", "Stop": "Accounts"}}"#)
        let findings = read().findings
        let expected = [
            "error invalid-configuration: 'Stop', which", "error duplicate-entity: Entity 'Item' of Accounts",
            "warning later-version: Accounts has 'Accounts 2'", "warning no-effect: The script is not run",
        ]
        #expect(findings.count == expected.count, "\(findings)")
        for text in expected { #expect(findings.contains { $0.hasPrefix(text) }, "\(text): \(findings)") }
        try merges(#"{"Accounts.xcdatamodeld": {"Shop": "Accounts 7"}, "None.xcdatamodeld": {}}"#)
        #expect(
            read().findings.contains { $0.contains("'Accounts 7', which 'merges' names for 'Shop', is not a version") })
        #expect(read().findings.contains { $0.hasPrefix("error model-not-found") })
    }
}
