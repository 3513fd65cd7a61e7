import ModelFormat
import RandomNumbers
import RandomSeeds
import Testing

@Suite("The order of versions")
struct VersionOrderTests {
    @Test(arguments: [
        ("Model", ["Model", "Model 2", "Model 10"]),
        ("Model", ["Model", "Model2", "Model 3", "Model10"]),
        ("Other", ["Model1", "Model2", "Model10", "Model11", "Model100"]),
        ("Data", ["Data", "Data 0.9", "Data 1.0", "Data 1.2", "Data 1.10", "Data 2"]),
        ("Photo360", ["Photo360", "Photo360 2", "Photo360 3"]),
        ("Photo360", ["Photo360 2", "Photo360 3", "Photo360 400"]),
        ("Log", ["Log", "Log 2018-12-07", "Log 2019-01-05", "Log 2019-11-01"]),
        ("Model", ["Model", "Model_v2", "Model_notes_v3", "Model_authors_v10"]),
        ("Model", ["Model", "Model_authors", "Model_v2"]),
        ("Model", ["Model", "Model 2 beta", "Model 3 alpha"]),
        ("Model", ["Model 007", "Model 8", "Model 18446744073709551616", "Model 18446744073709551617"]),
        ("Model", ["alpha", "Beta", "gamma"]),
        ("Model", ["only"]),
    ])
    func isDerivedFromTheirNames(bundle: String, expected: [String]) {
        #expect(ModelReader.ordered(expected.reversed(), bundleName: bundle) == expected)
        for seed in seeds() {
            var generator = SeededGenerator(seed: seed)
            let shuffled = expected.shuffled(using: &generator)
            #expect(ModelReader.ordered(shuffled, bundleName: bundle) == expected, "seed \(seed)")
        }
    }

    @Test func canBeGiven() throws {
        let folder = try TemporaryFolder()
        try folder.writeBundle("Model", versions: ["Model", "Model 2", "Model 3"], current: "Model 2")
        let reader = ModelReader(versionOrder: ["Model 3", "Model.xcdatamodel", "Model 2"])
        let result = folder.read("Model.xcdatamodeld", reader)
        #expect(result.findings.isEmpty)
        #expect(result.model?.versions.map(\.name) == ["Model 3", "Model", "Model 2"])
    }

    @Test func mustNameEveryVersionOnce() throws {
        let folder = try TemporaryFolder()
        try folder.writeBundle("Model", versions: ["Model", "Model 2", "Model 3"], current: "Model 2")
        func check(_ order: String...) -> [String] {
            folder.read("Model.xcdatamodeld", ModelReader(versionOrder: order)).findings
        }
        #expect(check("Model", "Model 2", "Model 3").isEmpty)
        #expect(check("Model", "Model 2") == ["error invalid-configuration"])
        #expect(check("Model", "Model 2", "Model 3", "Model 2") == ["error invalid-configuration"])
        #expect(check("Model", "Model 2", "Model 3", "Model 4") == ["error invalid-configuration"])
    }
}
