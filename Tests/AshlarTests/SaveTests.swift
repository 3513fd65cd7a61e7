import Foundation
import Testing

@testable import Ashlar

/// A save stores everything or nothing, and a failed one can be mended.
@Suite struct SaveTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private var container: ModelContainer { context.container }

    private func rows(_ table: String) throws -> Int64? { try container.integer("SELECT count(*) FROM \"\(table)\"") }

    private func version(of table: String) throws -> Int64? {
        try container.integer("SELECT \"version$\" FROM \"\(table)\" ORDER BY \"id$\" LIMIT 1")
    }

    // MARK: Failure

    @Test func afterAFailureEverythingIsAsBefore() throws {
        let taken = Account(email: "taken")
        let changed = Account(email: "changed", number: 1)
        let deleted = Account(email: "deleted", number: 2)
        for account in [taken, changed, deleted] { context.insert(account) }
        try context.save()
        changed.nickname = "nick"
        context.delete(deleted)
        let person = Person(name: "holder", passport: nil, labels: [Label(name: "label")])
        let duplicate = Account(email: "taken", number: 3, holder: person)
        context.insert(duplicate)
        let identifier = duplicate.persistentModelID
        #expect { try context.save() } throws: { error in
            guard case SaveError.notUnique(identifier, let properties) = error else { return false }
            return properties == ["email"]
        }
        #expect(try rows("Account") == 3 && rows("Person") == 0 && rows("Label") == 0)
        #expect(duplicate.persistentModelID == identifier && duplicate.isInserted && person.isInserted)
        #expect(changed.hasChanges && changed.nickname == "nick" && deleted.isDeleted)
        duplicate.email = "free"
        try context.save()
        #expect(!context.hasChanges && !duplicate.persistentModelID.isTemporary)
        let other = ModelContext(container)
        let read = try other.fetch(Account.order { $0.email.ascending })
        #expect(read.map(\.email) == ["changed", "free", "taken"] && read[0].nickname == "nick")
        #expect(read[1].holder?.labels.first?.name == "label")
        try container.expectSound()
    }

    @Test func compoundConstraints() throws {
        context.insert(Account(email: "a", bank: "b", number: 1))
        context.insert(Account(email: "b", bank: "b", number: 2))
        context.insert(Account(email: "c", bank: "c", number: 1))
        try context.save()
        context.insert(Account(email: "d", bank: "b", number: 2))
        #expect { try context.save() } throws: { error in
            guard case SaveError.notUnique(_, let properties) = error else { return false }
            return properties == ["bank", "number"]
        }
        context.rollback()
        // NULL repeats, and a constraint of one entity does not bind its siblings.
        for name in ["x", "y"] { context.insert(Truck(name: name, load: 1)) }
        try context.save()
    }

    @Test func aMissingReferenceNamesItsProperty() throws {
        let passport = Passport(number: "1", person: Person(name: "p"))
        passport.person = nil
        context.insert(passport)
        context.insert(Label(name: "innocent"))
        #expect { try context.save() } throws: { isValidation($0, ["person"], .missingRequiredValue) }
        #expect(try rows("Label") == 0)
        passport.person = Person(name: "p")
        try context.save()
        #expect(try rows("Label") == 1)
    }

    /// Whose value has no bytes is said, though many rows are written with one statement.
    @Test func aConversionThatFailsNamesItsObject() throws {
        let nodes = (0..<100).map { Sample(count: $0) }
        for node in nodes { context.insert(node) }
        let objects = (0..<40).map { index in
            Everything(
                integer16: 0, integer32: 0, integer64: 0, decimal: 0, double: 0, float: 0, string: "", boolean: false,
                date: .distantPast, binary: Data(), uuid: UUID(), uri: URL(fileURLWithPath: "/"),
                palette: index == 25 ? [PaletteTransformer.unstorable] : [], mood: .calm, level: .low,
                address: Address(street: "", numbers: []))
        }
        for object in objects { context.insert(object) }
        #expect { try context.save() } throws: { error in
            guard case SaveError.conversion(objects[25].persistentModelID, _) = error else { return false }
            return true
        }
        #expect(try rows("Sample") == 0)
        objects[25].palette = []
        try context.save()
        #expect(try rows("Everything") == 40)
        objects[3].palette = [PaletteTransformer.unstorable]
        #expect(throws: SaveError.self) { try context.save() }
        context.rollback()
        #expect(objects[3].palette == [])
    }

    @Test func aContainerThatDoesNotAllowSaving() throws {
        let container = try ModelContainer(
            for: TortureModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, allowsSave: false))
        let context = ModelContext(container)
        context.insert(Label(name: "a"))
        #expect { try context.save() } throws: { if case SaveError.readOnly = $0 { true } else { false } }
        #expect(context.hasChanges)
    }

    // MARK: Conflicts

    @Test func anotherContextsChangeIsAConflict() throws {
        let label = Label(name: "old")
        let free = Label(name: "free")
        context.insert(label)
        context.insert(free)
        try context.save()
        let other = ModelContext(container)
        let twin: Label = try other.model(for: label.persistentModelID)
        twin.name = "theirs"
        try other.save()
        label.name = "mine"
        free.name = "also mine"
        #expect { try context.save() } throws: { error in
            guard case SaveError.conflict(let objects) = error else { return false }
            return objects == [label.persistentModelID]
        }
        #expect(try other.fetched(Label.self).map(\.name).sorted() == ["free", "theirs"])
        context.rollback()
        #expect(label.name == "old")
        _ = try context.fetch(Label.all)
        #expect(label.name == "theirs")
        label.name = "mine after all"
        try context.save()
        #expect(try other.fetched(Label.self).map(\.name).contains("mine after all"))
    }

    @Test func anotherContextsDeletion() throws {
        let labels = ["a", "b"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        try context.save()
        let other = ModelContext(container)
        for twin in try other.fetch(Label.all) { other.delete(twin) }
        try other.save()
        labels[0].name = "changed"
        #expect { try context.save() } throws: { error in
            guard case SaveError.conflict([labels[0].persistentModelID]) = error else { return false }
            return true
        }
        context.rollback()
        // What both delete is deleted.
        context.delete(labels[1])
        try context.save()
        #expect(labels[1].modelContext == nil)
    }

    @Test func deletingWhatAnotherContextChangedIsAConflict() throws {
        let label = Label(name: "old")
        context.insert(label)
        try context.save()
        let other = ModelContext(container)
        (try other.model(for: label.persistentModelID) as Label).name = "new"
        try other.save()
        context.delete(label)
        #expect(throws: SaveError.self) { try context.save() }
        #expect(try rows("Label") == 1)
    }

    // MARK: Values that must be unique

    private func accounts(_ names: String...) throws -> [Account] {
        let accounts = names.enumerated().map {
            Account(email: $0.element, nickname: $0.element, bank: "b", number: Int64($0.offset))
        }
        for account in accounts { context.insert(account) }
        try context.save()
        return accounts
    }

    private func stored(_ property: String) throws -> String? {
        try container.text("SELECT group_concat(\(property)) FROM (SELECT * FROM Account ORDER BY \"id$\")")
    }

    @Test func valuesAreExchanged() throws {
        let accounts = try accounts("a", "b", "c")
        swap(&accounts[0].email, &accounts[1].email)
        swap(&accounts[0].nickname, &accounts[2].nickname)
        let numbers = accounts.map(\.number)
        for (index, account) in accounts.enumerated() { account.number = numbers[(index + 1) % 3] }
        try context.save()
        #expect(try stored("email") == "b,a,c" && stored("nickname") == "c,b,a" && stored("number") == "1,2,0")
        try container.expectSound()
        // The rows' versions are those that the objects have.
        accounts[0].email = "again"
        try context.save()
    }

    @Test func valuesAreFreedByDeletionsAndReused() throws {
        let accounts = try accounts("a", "b")
        context.delete(accounts[0])
        accounts[1].email = "a"
        accounts[1].holder = Person(name: "makes this a change of a reference, which comes before the deletions")
        context.insert(Account(email: "b", number: 7))
        try context.save()
        #expect(try stored("email") == "a,b")
    }

    @Test func aDuplicateAmongChangesIsStillRefused() throws {
        let accounts = try accounts("a", "b", "c")
        accounts[0].email = "b"
        accounts[1].email = "x"
        accounts[2].email = "b"
        #expect { try context.save() } throws: { if case SaveError.notUnique = $0 { true } else { false } }
        #expect(try stored("email") == "a,b,c")
        accounts[2].email = "c"
        try context.save()
        #expect(try stored("email") == "b,x,c")
    }

    // MARK: What is written

    @Test func settingAnEqualValueWritesNothing() throws {
        let label = Label(name: "same")
        context.insert(label)
        try context.save()
        label.name = "same"
        #expect(label.hasChanges && context.hasChanges)
        try context.save()
        #expect(!context.hasChanges)
        #expect(try version(of: "Label") == 1)
        label.name = "other"
        label.name = "same"
        try context.save()
        #expect(try version(of: "Label") == 1)
        label.name = "other"
        try context.save()
        #expect(try version(of: "Label") == 2)
    }

    /// Swift takes these for equal, but they are not the same.
    @Test func anotherSpellingOfAnAccentIsWritten() throws {
        let sample = Sample(title: "e\u{301}", name: "\u{E9}")
        context.insert(sample)
        try context.save()
        sample.title = "\u{E9}"
        sample.name = "e\u{301}"
        try context.save()
        #expect(try container.text("SELECT hex(title) || hex(name) FROM Sample") == "C3A965CC81")
    }

    /// Two contexts may change different columns one after the other; the second does not write the first's back.
    @Test func onlyChangedColumnsAreWritten() throws {
        let sample = Sample(title: "old", name: "old")
        context.insert(sample)
        try context.save()
        try container.execute("UPDATE Sample SET title = 'by another program'")
        sample.name = "new"
        try context.save()
        #expect(try container.text("SELECT title || name FROM Sample") == "by another programnew")
    }

    // MARK: Rollback

    @Test func rollbackRestoresEverything() throws {
        let owner = Owner(name: "owner", nullified: [Nullified(name: "a"), Nullified(name: "b")])
        let person = Person(name: "person", labels: [Label(name: "l")])
        let passport = Passport(number: "1", person: person)
        let node = Node(name: "n", spouse: nil, favourite: nil)
        for object in [owner, person, node] as [any PersistentModel] { context.insert(object) }
        try context.save()
        let items = owner.nullified.array
        let label = person.labels[0]
        let before = try container.text("SELECT group_concat(name) FROM Nullified")

        owner.name = "changed"
        items[0].owner = nil
        owner.nullified.append(Nullified(name: "new"))
        context.delete(items[1])
        person.labels = [Label(name: "other")]
        passport.person = Person(name: "thief")
        node.spouse = node
        node.children = [Node(name: "child")]
        context.rollback()

        #expect(!context.hasChanges && context.insertedModelsArray.isEmpty)
        #expect(owner.name == "owner" && Set(owner.nullified.map(\.name)) == ["a", "b"])
        #expect(items.allSatisfy { $0.owner === owner && !$0.isDeleted })
        #expect(person.labels.array == [label] && label.people.first === person)
        #expect(person.passport === passport && passport.person === person)
        #expect(node.spouse == nil && node.children.isEmpty)
        try context.save()
        #expect(try container.text("SELECT group_concat(name) FROM Nullified") == before)
    }

    @Test func rolledBackInsertionsCanBeInsertedAgain() throws {
        let owner = Owner(name: "owner")
        context.insert(owner)
        try context.save()
        let item = Nullified(name: "item", owner: owner)
        let label = Label(name: "label")
        let node = Node(name: "node", favourite: label, marks: [label])
        context.insert(node)
        context.rollback()
        #expect(item.modelContext == nil && node.modelContext == nil && owner.nullified.isEmpty)
        context.insert(item)
        context.insert(node)
        #expect(item.owner == nil && node.favourite == nil)
        item.owner = owner
        try context.save()
        #expect(owner.nullified.count == 1)
        try container.expectSound()
    }
}
