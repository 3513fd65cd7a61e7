import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// A save stores everything or nothing. After a failed save, the cause can be corrected.
@Suite struct SaveTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private var container: ModelContainer { context.container }

    private func rows(_ table: String) throws -> Int64? { try container.integer("SELECT count(*) FROM \"\(table)\"") }

    private func version(of table: String) throws -> Int64? {
        try container.integer("SELECT \"version$\" FROM \"\(table)\" ORDER BY \"id$\" LIMIT 1")
    }

    // MARK: Failure

    /// One statement writes several rows. If the table has no triggers, the rows before the refused one stay until
    /// the save rolls back.
    @Test(arguments: [false, true])
    func theRefusedOneOfManyIsNamed(_ hasTrigger: Bool) throws {
        if hasTrigger {
            try container.pool.write {
                try $0.execute("CREATE TRIGGER mine AFTER INSERT ON Account BEGIN SELECT 1; END")
            }
        }
        context.insert(Account(email: "taken", number: -1))
        try context.save()
        let accounts = (0..<100).map { Account(email: $0 == 77 ? "taken" : "\($0)", number: Int64($0)) }
        for account in accounts { context.insert(account) }
        let identifier = accounts[77].persistentModelID
        #expect { try context.save() } throws: { error in
            guard case SaveError.notUnique(identifier, let properties, _) = error else { return false }
            return properties == ["email"]
        }
        #expect(try rows("Account") == 1)
        accounts[77].email = "free"
        try context.save()
        let read = try ModelContext(container).fetchValues(Account.order { $0.number.ascending })
        #expect(read.map(\.email) == ["taken"] + accounts.map(\.email))
        try container.expectSound()
    }

    @Test func afterAFailureEverythingIsAsBefore() throws {
        let taken = Account(email: "taken")
        let changed = Account(email: "changed", number: 1)
        let deleted = Account(email: "deleted", number: 2)
        for account in [taken, changed, deleted] { context.insert(account) }
        try context.save()
        changed.nickname = "nick"
        context.delete(deleted)
        let person = Person(name: "holder", labels: [Label(name: "label")], passport: nil)
        let duplicate = Account(email: "taken", number: 3, holder: person)
        context.insert(duplicate)
        let identifier = duplicate.persistentModelID
        #expect { try context.save() } throws: { error in
            guard case SaveError.notUnique(identifier, let properties, _) = error else { return false }
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

    /// The error names the object whose value has no bytes, even though one statement writes many rows.
    @Test func aConversionThatFailsNamesItsObject() throws {
        let nodes = (0..<100).map { Sample(count: $0) }
        for node in nodes { context.insert(node) }
        let objects = (0..<40).map { index in
            Everything(
                address: Address(street: "", numbers: []), binary: Data(), boolean: false, date: .distantPast,
                decimal: 0, double: 0, float: 0, integer16: 0,
                integer32: 0, integer64: 0, level: .low, mood: .calm,
                palette: index == 25 ? [PaletteTransformer.unstorable] : [], string: "", uri: URL(fileURLWithPath: "/"),
                uuid: UUID())
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

    @Test("row 129: the change of another context is a conflict") func anotherContextsChangeIsAConflict() throws {
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
            guard case SaveError.conflict(let conflicts) = error, let conflict = conflicts.first else { return false }
            #expect(conflict.kind == .changed && conflict.oldVersion == 1 && conflict.newVersion == 2)
            #expect(conflict.changedProperties == ["name"] && conflict.storeChangedProperties == ["name"])
            return conflicts.map(\.object) == [label.persistentModelID]
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
            guard case SaveError.conflict(let conflicts) = error else { return false }
            return conflicts.map(\.object) == [labels[0].persistentModelID] && conflicts[0].kind == .deleted
        }
        context.rollback()
        // Objects that both contexts delete are deleted.
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

    // MARK: Written values

    @Test("row 62: setting an equal value writes nothing") func settingAnEqualValueWritesNothing() throws {
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
        let sample = Sample(name: "\u{E9}", title: "e\u{301}")
        context.insert(sample)
        try context.save()
        sample.title = "\u{E9}"
        sample.name = "e\u{301}"
        try context.save()
        #expect(try container.text("SELECT hex(title) || hex(name) FROM Sample") == "C3A965CC81")
    }

    /// Two contexts may change different columns one after the other; the second does not write the first's back.
    @Test func onlyChangedColumnsAreWritten() throws {
        let sample = Sample(name: "old", title: "old")
        context.insert(sample)
        try context.save()
        try container.execute("UPDATE Sample SET title = 'by another program'")
        sample.name = "new"
        try context.save()
        #expect(try container.text("SELECT title || name FROM Sample") == "by another programnew")
    }
}
