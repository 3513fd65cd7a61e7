import Ashlar
import AshlarTesting
import Foundation
import Testing

/// A model of an app that is ported as it is: scalars that are never nil, classes with more than attributes, decoding.
@Suite struct PortedModelTests {
    private let context: ModelContext

    init() throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        context = ModelContext(try ModelContainer(for: PlayerModel.self, configurations: configuration))
    }

    // MARK: Scalars

    @Test func nilReadsAsZero() throws {
        let item = Item(title: "a")
        context.insert(item)
        try context.save()
        let other = ModelContext(context.container)
        let read = try #require(try other.fetch(Item.all).first)
        #expect(!read.isFinished && read.playCount == 0 && read.position == 0)
        let rating: Int16? = read.rating
        #expect(rating == nil)
        #expect(try other.fetchValues(Item.all).first?.playCount == nil)
        #expect(try other.fetchCount(Item.where { $0.isFinished == nil }) == 1)
        #expect(try other.fetchCount(Item.where { $0.playCount == 0 }) == 0)
        read.playCount += 1
        read.isFinished.toggle()
        try other.save()
        #expect(try context.fetchCount(FetchDescriptor<Item>(predicate: #Predicate { $0.playCount == 1 })) == 1)
        #expect(try context.fetchCount(Item.where { $0.isFinished == true }) == 1)
        try read.setValue(5, forKeyPath: "playCount")
        #expect(read.playCount == 5)
        #expect(try read.value(forKeyPath: "position") as? Double == 0)
    }

    // MARK: Stored properties

    @Test func objectsAreOfTheProgramsClasses() throws {
        context.insert(Track(title: "b", path: "/b"))
        context.insert(Theme(name: "dark"))
        context.insert(Folder(title: "c"))
        try context.save()
        let other = ModelContext(context.container)
        let items = try other.fetch(Item.order { $0.title.ascending })
        #expect(items.map { $0.summary() } == ["track b (open)", "c (open)"])
        #expect(items.map { "\(type(of: $0))" } == ["Track", "Folder"])
        items[0].isSelected = true
        #expect(!other.hasChanges && items[0].key == "item-b")
        let again = try #require(try other.fetch(Track.where { $0.path == "/b" }).first)
        #expect(again === items[0] && again.isSelected && again.download.isEmpty)
        let theme = try #require(try other.fetch(Theme.all).first)
        theme.isLocked = false
        #expect(theme.changes == 1)
        theme.name = "light"
        try other.save()
        #expect(try ModelContext(context.container).fetch(Theme.all).map(\.name) == ["light"])
    }

    // MARK: Merged bundles

    /// The theme belongs to another bundle. Its second version goes with the second version of the player's.
    @Test(
        "row 29: both bundles migrate together",
        arguments: try MigrationPair.all(
            of: PlayerModel.self, modelAt: "Tests/PortedModelTests/Models/Player.xcdatamodeld"))
    func bothBundlesMigrateTogether(_ pair: MigrationPair) throws {
        #expect(pair.description == "Player → Player 2")
        try pair.check()
        context.insert(Theme(isDark: true, name: "night"))
        context.insert(Track(title: "b", artist: "Bach", path: "/b"))
        try context.save()
        #expect(try context.fetchCount(Theme.where { $0.isDark }) == 1)
    }

    // MARK: Decoding

    @Test func aTreeIsDecoded() throws {
        let json = """
            {"title": "all", "items": [
                {"title": "one", "path": "/1", "playCount": 3},
                {"title": "box", "items": [{"title": "two", "isFinished": true}]}
            ]}
            """
        let folder = try JSONDecoder().decode(Folder.self, from: Data(json.utf8))
        #expect(folder.modelContext == nil)
        context.insert(folder)
        try context.save()
        let other = ModelContext(context.container)
        let read = try #require(try other.fetch(Folder.where { $0.title == "all" }).first)
        #expect(read.items.map(\.title) == ["one", "box"])
        #expect((read.items[0] as? Track)?.path == "/1" && read.items[0].playCount == 3)
        #expect((read.items[1] as? Folder)?.items.first?.isFinished == true)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Folder.self, from: Data(#"{"title": "x", "items": [{"path": "/"}]}"#.utf8))
        }
    }
}
