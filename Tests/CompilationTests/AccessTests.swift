import Foundation
import Testing

/// Generated code that other modules, or the rest of a package, can use.
@Suite(Compiler.condition) struct AccessTests {
    private static let model = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Item"><attribute name="name" attributeType="String"/>
        <attribute name="let" attributeType="Integer 64" defaultValueString="3" usesScalarValueType="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="place" attributeType="Composite" composite="Place"/>
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner"
            inverseName="items" inverseEntity="Owner"/></entity>
        <entity name="Owner"><attribute name="title" attributeType="String"/>
        <relationship name="items" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Item"
            inverseName="owner" inverseEntity="Item"/></entity>
        <entity name="Special" parentEntity="Item"><attribute name="more" optional="YES" attributeType="Date"/></entity>
        <composite name="Place"><attribute name="street" attributeType="String" defaultValueString="none"/></composite>
        </model>
        """

    private static let use = """
        import Ashlar
        import Foundation

        func use(_ context: ModelContext) throws {
            let item = Item(name: "a", place: Place())
            let owner = Owner(title: "b", items: [item])
            context.insert(owner)
            let values = [
                Item.Values(name: "c", place: Place(street: "d")),
                Item.Values(let: 4, name: "e", place: Place(), price: 5, owner: owner.persistentModelID),
            ]
            _ = try context.batchInsert(contentsOf: values)
            _ = try context.batchInsert(contentsOf: [Special.Values(name: "f", place: Place(), more: Date())])
            _ = try context.fetchValues(Item.where { $0.price > 1 }).map(\\.place.street)
        }
        """

    @Test(arguments: ["public", "package"])
    func anotherModuleMakesObjectsAndValues(_ access: String) throws {
        let folder = try GenerationFolder()
        let files = try folder.generate(Self.model, configuration: "{\"access\": \"\(access)\"}")
        // The same name for the package stands for being in one.
        let options = ["-package-name", "somebody"]
        let complaints = try Compiler.complaints(about: files, options: options, module: "Models", output: folder.url)
        #expect(complaints.isEmpty, "\(complaints.prefix(2000))")
        let program = try folder.write("import Models\n" + Self.use, to: "Use.swift")
        let others = try Compiler.complaints(about: [program], options: options + ["-I", folder.url.path])
        #expect(others.isEmpty, "\(others.prefix(2000))")
    }

    /// Files of the user's, in the module that the code is generated for, that import plainly.
    @Test(
        arguments: ["public", "package", "internal"], [[], ["-enable-upcoming-feature", "InternalImportsByDefault"]])
    func plainImportsBesideGeneratedCodeAreNoMistake(_ access: String, _ options: [String]) throws {
        let folder = try GenerationFolder()
        let files = try folder.generate(Self.model, configuration: "{\"access\": \"\(access)\"}")
        let program = try folder.write(Self.use, to: "Use.swift")
        let complaints = try Compiler.complaints(
            about: files + [program], options: ["-package-name", "somebody"] + options)
        #expect(complaints.isEmpty, "\(complaints.prefix(2000))")
    }

    /// Types that models of the sample and of tests name, as users write them.
    private static let types: [String: String] = [
        "": """
        public import Ashlar
        public import Foundation

        public enum PaletteTransformer: AttributeTransformer {
            public static func data(from value: [String]) throws -> Data { Data(value.joined(separator: ",").utf8) }
            public static func value(from data: Data) throws -> [String] { [String(decoding: data, as: UTF8.self)] }
        }
        """,
        "AshlarTests/Models/Attic": mood + address,
        "AshlarTests/Models/Kitchen": """
        extension Dish {
            public enum Kind: String, Codable, Sendable { case soup, stew }
            public enum Spice: Int16, Codable, Sendable { case none, mild, hot }
        }
        """,
        "AshlarTests/Models/Misprint": """
        public enum Dish { public enum Spice: Int16, Codable, Sendable { case none, mild, hot } }
        """,
        "AshlarTests/Models/Studio": """
        public enum MaterialKind: String, Codable, CaseIterable, Sendable { case wood, metal, other }
        public enum Grain: Int16, Codable, Sendable { case fine = 1, coarse, `default` }
        public enum Gloss: Int32, Codable, Hashable, Sendable { case matte, glossy }
        """,
        "AshlarTests/Models/Torture": mood + address
            + "public enum Level: Int16, Codable, Sendable { case low, middle, high }",
        "AshlarTestingTests/Models/Garden": """
        public enum ShedMaterial: String, Sendable { case wood, stone }
        public enum ShedCondition: Int16, Sendable { case sound = 3, leaking = 7 }
        public struct ShedLayout: Codable, Equatable, Sendable { public var width: Double }
        public enum MarksTransformer: AttributeTransformer {
            public static func data(from value: [String]) throws -> Data { Data() }
            public static func value(from data: Data) throws -> [String] { [] }
        }
        """,
        "KeptStoresTests/Models/Kinds": mood,
        "OracleTests/Models/Stock": """
        public enum Kind: String, Codable, Sendable { case raw, ready, sold }
        ACCESS nonisolated class Noted: ManagedObject {}
        """,
        "PortedModelTests/Models/Player": """
        ACCESS nonisolated class Item: ItemProperties {}
        ACCESS nonisolated final class Track: TrackProperties {}
        ACCESS nonisolated final class Theme: ThemeProperties {}
        """,
        "PortedModelTests/Models/Settings": "ACCESS nonisolated final class Theme: ThemeProperties {}",
        "PublicAPITests/Models/Library": "public enum Language: String, Codable, Sendable { case english, kesh }",
        "Models/Zoo": """
        extension Animal { public enum Diet: String, Codable, Sendable { case herbivorous, carnivorous } }
        """,
    ]
    private static let mood = "public enum Mood: String, Codable, Sendable { case calm, furious }\n"
    private static let address = "public struct Address: Codable, Hashable, Sendable { public var street: String }\n"

    /// The models of the sample and of all tests.
    private static let models: [String] = {
        let tests = Compiler.root.appendingPathComponent("Tests")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tests.path)) ?? []
        return (["../Models"] + names.map { "\($0)/Models" }).flatMap { folder in
            let path = tests.appendingPathComponent(folder).path
            let bundles = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            return bundles.filter { $0.hasSuffix(".xcdatamodeld") }.map { "\(folder)/\($0.dropLast(13))" }
        }.sorted()
    }()

    @Test(arguments: models, ["public", "package"])
    func whatIsGeneratedForAnyModelMayBeSeenFromOutside(_ model: String, _ access: String) throws {
        let folder = try GenerationFolder()
        let bundle = Compiler.root.appendingPathComponent("Tests/\(model).xcdatamodeld").standardizedFileURL
        let files = try folder.generate(bundle: bundle, configuration: "{\"access\": \"\(access)\"}")
        let types = ["", model.replacing("../", with: "")].compactMap { Self.types[$0] }.joined(separator: "\n")
            .replacing("ACCESS", with: access)
        let file = try folder.write(types, to: "Types.swift")
        let complaints = try Compiler.complaints(
            about: files + [file],
            options: [
                "-package-name", "somebody", "-enable-upcoming-feature", "InternalImportsByDefault",
                "-enable-upcoming-feature", "MemberImportVisibility",
            ], checksTypesOnly: true)
        #expect(!complaints.contains("error:"), "\(complaints.prefix(2000))")
        // Only the compiler finds out whether a type of the user's own or a predicate needs Foundation.
        let warnings = complaints.matches(of: #/warning: .*/#).map(\.output)
        #expect(warnings.allSatisfy { $0.contains("import of 'Foundation' was not used") }, "\(warnings)")
    }

    /// Names that only generated code needs are free for the user's own types, and members out of reach.
    @Test func whatGeneratedCodeCallsIsOutOfSight() throws {
        let folder = try GenerationFolder()
        let files = try folder.generate(Self.model, configuration: "{\"access\": \"public\"}")
        let complaints = try Compiler.complaints(about: files, module: "Models", output: folder.url)
        #expect(complaints.isEmpty, "\(complaints.prefix(2000))")
        for (use, complaint) in [
            ("Item._ashlarEntity", "'_ashlarEntity' is inaccessible due to '@_spi' protection level"),
            ("Item._ashlarColumns", "'_ashlarColumns' is inaccessible due to '@_spi' protection level"),
            ("SQLExpression.self", "cannot find 'SQLExpression' in scope"),
            ("Statement.self", "cannot find 'Statement' in scope"),
            ("Row.self", "cannot find 'Row' in scope"),
        ] {
            let program = try folder.write("import Ashlar\nimport Models\nfunc use() { _ = \(use) }", to: "Use.swift")
            let said = try Compiler.complaints(about: [program], options: ["-I", folder.url.path])
            #expect(said.contains(complaint), "\(use): \(said.prefix(2000))")
        }
        let program = try folder.write(
            "import Ashlar\nimport Models\nstruct Row { var statement: Statement }\nenum Statement { case one }\n"
                + "func use() -> Row { Row(statement: .one) }", to: "Own.swift")
        let said = try Compiler.complaints(about: [program], options: ["-I", folder.url.path])
        #expect(said.isEmpty, "\(said.prefix(2000))")
    }

    /// Errors and similar types may get more cases without breaking existing programs.
    @Test(arguments: ["BatchError", "SaveError", "StoreError"])
    func switchesOverErrorsExpectMoreCases(_ error: String) throws {
        let folder = try GenerationFolder()
        for (end, isAllowed) in [("", false), ("@unknown default: return nil", true)] {
            let known = try Self.cases(of: error).map { "case .\($0): return \"\($0)\"" }.joined(separator: "\n")
            let text =
                "import Ashlar\nfunc name(_ error: \(error)) -> String? {\nswitch error {\n\(known)\n\(end)\n}\n}"
            let program = try folder.write(text, to: "Use.swift")
            let complaints = try Compiler.complaints(about: [program])
            #expect(complaints.contains("may have additional unknown values") != isAllowed)
            #expect(complaints.isEmpty == isAllowed, "\(complaints.prefix(2000))")
        }
    }

    /// The names of an error's cases, as the committed description of the public API has them.
    private static func cases(of error: String) throws -> [String] {
        let lines = try String(contentsOf: Compiler.root.appendingPathComponent("API/Ashlar.txt"), encoding: .utf8)
        let start = "\(error): case "
        return lines.split(separator: "\n").filter { $0.hasPrefix(start) }.map {
            String($0.dropFirst(start.count).prefix { $0 != "(" })
        }
    }

    @Test(arguments: ["Newsroom", "Outpost"])
    func strictMemorySafetyHasNothingToSay(_ name: String) throws {
        let folder = Compiler.root.appendingPathComponent("Tests/GeneratedCodeTests/Generated")
        let files = ["\(name)+Model.swift", "\(name)+Entities1.swift"].map { folder.appendingPathComponent($0) }
        for options in [["-strict-memory-safety"], []] {
            let complaints = try Compiler.complaints(about: files, options: options)
            #expect(complaints.isEmpty, "\(complaints.prefix(2000))")
        }
    }
}
