import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// The values that an undo keeps of objects, and the way it restores them.
@Suite struct UndoneValuesTests {
    private func isOne(_ values: KeptValues) -> Bool { if case .one = values { true } else { false } }

    private func isOne(_ values: OriginalValues) -> Bool { if case .one = values { true } else { false } }

    /// Neither the change of a number nor its undo copies all values of an object, nor its text.
    @Test func oneNumberIsUndoneWithoutTheOtherValues() throws {
        let context = try studioContext()
        let articles = (0..<100).map { Article(title: "\($0)") }
        for article in articles { context.insert(article) }
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        for article in articles { article.likes += 1 }
        for article in articles { article.likes += 1 }
        let event = try #require(context.listeners.event)
        #expect(event.touches.count == 100 && event.touches.allSatisfy { isOne($0.before) })
        undoManager.undo()
        #expect(articles.allSatisfy { $0.likes == 0 && isOne($0.record.original) })
        undoManager.redo()
        #expect(articles.allSatisfy { $0.likes == 2 && isOne($0.record.original) })
        for article in articles { article.likes += 1 }
        undoManager.undo()
        #expect(articles.allSatisfy { $0.likes == 2 && isOne($0.record.original) })
        for article in articles { article.likes += 1 }
        // Last, because a group takes the values out of the event.
        let group = UndoGroup(try #require(context.listeners.event), context, name: "")
        #expect(group.values.count == 100 && group.values.allSatisfy { isOne($0.before) && isOne($0.after) })
    }

    @Test func whatWasSetToWhatItWasIsNothingToUndo() throws {
        let context = try studioContext()
        let article = Article(title: "a")
        context.insert(article)
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        article.likes = 1
        article.likes = 0
        article.title = "b"
        article.title = "a"
        #expect(!undoManager.canUndo)
    }

    // MARK: Composites

    /// Saves a resident. Returns an undo manager for the changes from then on.
    private func saving(_ resident: Resident, in context: ModelContext) throws -> ModelUndoManager {
        context.insert(resident)
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        return undoManager
    }

    /// Parts of a composite that change one after the other within one group.
    @Test func partsOfACompositeAreUndoneTogether() throws {
        let context = ModelContext(try memoryContainer())
        let resident = Resident(work: PostalAddress(city: "A", street: "S"))
        let undoManager = try saving(resident, in: context)
        undoManager.beginUndoGrouping()
        resident.work.city = "B"
        context.processPendingChanges()
        resident.work.street = "T"
        undoManager.endUndoGrouping()
        for _ in 0..<2 {
            undoManager.undo()
            #expect(resident.work == PostalAddress(city: "A", street: "S"))
            undoManager.redo()
            #expect(resident.work == PostalAddress(city: "B", street: "T"))
        }
        undoManager.undo()
        try context.save()
        #expect(
            try ModelContext(context.container).fetchValues(Resident.all).map(\.work) == [
                PostalAddress(city: "A", street: "S")
            ])
    }

    /// Another context changes a part of a composite, and this one undoes a change of another part. The second
    /// composite may be nil.
    @Test(arguments: [false, true]) func aPartThatOthersChangedStays(isSaved: Bool) throws {
        let context = ModelContext(try memoryContainer())
        context.automaticallyMergesChangesFromParent = true
        let address = PostalAddress(city: "A", street: "S")
        let resident = Resident(home: address, work: address)
        let undoManager = try saving(resident, in: context)
        resident.work.city = "B"
        resident.home?.city = "B"
        if isSaved { try context.save() } else { context.processPendingChanges() }
        let other = ModelContext(context.container)
        let others: Resident = try other.model(for: resident.persistentModelID)
        others.work.street = "T"
        others.home?.street = "T"
        try other.save()
        context.processPendingChanges()
        undoManager.undo()
        let expected = PostalAddress(city: "A", street: "T")
        #expect(resident.work == expected && resident.home == expected)
        try context.save()
        let values = try #require(try ModelContext(context.container).fetchValues(Resident.all).first)
        #expect(values.work == expected && values.home == expected)
    }

    @Test func aCompositeThatBecomesNil() throws {
        let context = ModelContext(try memoryContainer())
        let resident = Resident(home: PostalAddress(city: "A", street: "S"))
        let undoManager = try saving(resident, in: context)
        undoManager.beginUndoGrouping()
        resident.home?.city = "B"
        context.processPendingChanges()
        resident.home = nil
        undoManager.endUndoGrouping()
        undoManager.undo()
        #expect(resident.home == PostalAddress(city: "A", street: "S"))
        undoManager.redo()
        #expect(resident.home == nil)
    }

    // MARK: Changes that others saved

    /// A merge within the event: the second change starts from the merged value.
    @Test func aChangeAfterAMerge() throws {
        let context = try studioContext()
        context.automaticallyMergesChangesFromParent = true
        let article = Article(title: "a")
        context.insert(article)
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        article.title = "mine"
        let other = ModelContext(context.container)
        try other.fetch(Article.all).first?.likes = 5
        try other.save()
        _ = try context.fetch(Article.all)
        #expect(article.likes == 5 && article.title == "mine")
        article.likes = 6
        undoManager.undo()
        #expect(article.likes == 5 && article.title == "a")
        try context.save()
        #expect(try ModelContext(context.container).fetchValues(Article.all).map(\.likes) == [5])
    }

    /// A value that is set without a notification does not count as a change, so that an undo does not revert it.
    @Test func aPrimitiveValueIsNotUndone() throws {
        let context = try studioContext()
        let article = Article(title: "a")
        context.insert(article)
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        article.setPrimitiveValue("primitive", for: \.title)
        article.likes = 1
        undoManager.undo()
        #expect(article.likes == 0 && article.title == "primitive")
        article.likes = 2
        article.setPrimitiveValue("again", for: \.title)
        undoManager.undo()
        #expect(article.likes == 0 && article.title == "again")
    }

    /// Changes that others saved meanwhile stay when changes of the same objects are undone.
    @Test func whatOthersSavedIsNotUndone() throws {
        let context = try studioContext()
        context.automaticallyMergesChangesFromParent = true
        let article = Article(title: "a")
        context.insert(article)
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        article.likes = 1
        let other = ModelContext(context.container)
        let twin: Article = try other.model(for: article.persistentModelID)
        twin.title = "others"
        try other.save()
        context.processPendingChanges()
        #expect(article.title == "others" && article.likes == 1)
        undoManager.undo()
        #expect(article.title == "others" && article.likes == 0)
    }

    /// An undo restores the value that each column had before the group, whatever was kept of the others.
    @Test func columnsThatChangedOneAfterTheOther() throws {
        let context = try memoryContext()
        var random = SystemRandomNumberGenerator()
        let object = Self.everything(&random)
        context.insert(object)
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        let changes: [(Everything) -> Void] = [
            { $0.float = 1 }, { $0.double = 2 }, { $0.integer64 = 3 }, { $0.string = "4" }, { $0.integer16 = 5 },
        ]
        let before = object.snapshot()
        undoManager.beginUndoGrouping()
        for change in changes {
            change(object)
            context.processPendingChanges()
        }
        undoManager.endUndoGrouping()
        let after = object.snapshot()
        undoManager.undo()
        #expect(object.changes(since: before, in: .max) == 0)
        undoManager.redo()
        #expect(object.changes(since: after, in: .max) == 0)
    }

    /// An undo manager or an observation that outlives its context has nothing to undo, and nothing to end.
    @Test func theContextGoesFirst() throws {
        let undoManager = ModelUndoManager()
        let other = try memoryContext()
        var observation: ContextObservation?
        do {
            let context = try memoryContext()
            context.undoManager = undoManager
            observation = context.observe(.objectsDidChange) { _, _ in }
            context.insert(Label(name: "a"))
            context.processPendingChanges()
            #expect(undoManager.canUndo)
        }
        #expect(!undoManager.canUndo)
        undoManager.undo()
        observation?.cancel()
        // An undo manager that belongs to another context by then stays with it.
        do {
            let context = try memoryContext()
            context.undoManager = undoManager
            other.undoManager = undoManager
        }
        other.insert(Label(name: "b"))
        other.processPendingChanges()
        #expect(undoManager.canUndo)
        undoManager.undo()
        #expect(other.insertedModelsArray.isEmpty)
    }

    /// Undoing and redoing a joined group leads to the same values each time, whichever columns changed.
    @Test(arguments: seeds(4)) func joinedGroups(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<30 * TestEffort.factor {
            let context = try memoryContext()
            let objects = (0..<3).map { _ in Self.everything(&random) }
            for object in objects { context.insert(object) }
            try context.save()
            let undoManager = ModelUndoManager()
            context.undoManager = undoManager
            let entity = objects[0].entity
            let paths = entity.ownColumns.map { entity.columns[$0].property }.filter { !$0.contains(".") }
            let few = Array(paths.shuffled(using: &random).prefix(Int.random(in: 1...paths.count, using: &random)))
            let before = objects.map { $0.snapshot() }
            undoManager.beginUndoGrouping()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let object = try #require(objects.randomElement(using: &random))
                let path = try #require(few.randomElement(using: &random))
                try object.setValue(Self.everything(&random).value(forKeyPath: path), forKeyPath: path)
                if Bool.random(using: &random) { context.processPendingChanges() }
                if random.oneIn(10) { try context.save() }
            }
            undoManager.endUndoGrouping()
            let after = objects.map { $0.snapshot() }
            for _ in 0..<2 {
                undoManager.undo()
                #expect(zip(objects, before).allSatisfy { $0.changes(since: $1, in: .max) == 0 }, "\(few)")
                #expect(!undoManager.canUndo)
                undoManager.redo()
                #expect(zip(objects, after).allSatisfy { $0.changes(since: $1, in: .max) == 0 }, "\(few)")
            }
        }
    }

    /// Groups are joined without a search through their contents: in quadratic time, this would take a minute.
    @Test func manyObjectsOfJoinedGroups() throws {
        let context = try memoryContext()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        undoManager.beginUndoGrouping()
        let labels = (0..<20_000).map { Label(name: "\($0)") }
        for label in labels { context.insert(label) }
        context.processPendingChanges()
        for label in labels { label.name += "!" }
        context.processPendingChanges()
        for label in labels.dropLast() { context.delete(label) }
        undoManager.endUndoGrouping()
        undoManager.undo()
        #expect(context.insertedModelsArray.isEmpty)
        undoManager.redo()
        #expect(context.insertedModelsArray.count == 1 && labels.last?.name == "19999!")
    }

    private static func everything(_ random: inout some RandomNumberGenerator) -> Everything {
        let number = Int.random(in: -2...2, using: &random)
        let text =
            ["", "a", "e\u{301}", "\u{e9}", String(repeating: "long ", count: 40)].randomElement(using: &random) ?? ""
        return Everything(
            address: Address(street: text, numbers: [number]), binary: Data(text.utf8), boolean: number > 0,
            date: Date(timeIntervalSinceReferenceDate: Double(number)),
            decimal: Decimal(number) / 7, double: Double(number) / 3, float: Float(number), integer16: Int16(number),
            integer32: Int32(number), integer64: Int64(number), level: .low,
            mood: .calm, palette: [], string: text, uri: URL(fileURLWithPath: "/\(number)"),
            uuid: UUID())
    }
}
