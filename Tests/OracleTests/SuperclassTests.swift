import Ashlar
import Testing

/// A class of the program's own between `ManagedObject` and the classes of several entities.
nonisolated class Noted: ManagedObject {
    var remarks: [String] = []
    private(set) var isOpened = false

    func open() { isOpened = true }

    var summary: String { (self as? any Named).map { "named \($0.name)" } ?? "\(remarks.count) remarks" }
}

private protocol Named: PersistentModel {
    var name: String { get }
}

extension Label: Named {}
extension Thing: Named {}

@Suite struct SuperclassTests {
    let context: ModelContext

    init() throws {
        context = ModelContext(
            try ModelContainer(for: StockModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    @Test func objectsOfSeveralEntitiesAreOfOneClass() throws {
        let objects: [Noted] = [Label(name: "red"), Thing(name: "chair"), Tool(name: "saw")]
        objects[0].remarks = ["used"]
        objects[2].open()
        for case let model as any PersistentModel in objects { context.insert(model) }
        try context.save()
        #expect(objects.map(\.summary) == ["named red", "named chair", "named saw"])
        #expect(objects.map(\.remarks.count) == [1, 0, 0] && objects.map(\.isOpened) == [false, false, true])
    }

    @Test func objectsOfRowsHaveTheirStoredProperties() throws {
        context.insert(Label(name: "red"))
        context.insert(Tool(name: "saw", power: 7))
        try context.save()
        let fresh = ModelContext(context.container)
        let labels: [Noted] = try fresh.fetch(Label.all)
        let found = labels + (try fresh.fetch(Thing.all) as [Noted])
        #expect(found.allSatisfy { $0.remarks.isEmpty && !$0.isOpened })
        let tool = try #require(found[1] as? Tool)
        tool.remarks.append("sharp")
        tool.power += 1
        tool.name = "plane"
        #expect(try fresh.fetch(Tool.where { $0.power == 8 }).first?.remarks == ["sharp"])
        try fresh.save()
        fresh.rollback()
        #expect(tool.remarks == ["sharp"] && tool.summary == "named plane")
    }
}
