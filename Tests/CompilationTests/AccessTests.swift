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
