import Foundation
import Testing

@testable import Ashlar

/// The lifecycle hooks of objects.
@Suite struct LifecycleTests {
    let context: ModelContext

    init() throws { context = try studioContext() }

    @Test("row 61: insertion and saving") func insertionAndSaving() throws {
        let diary = Diary(text: "a")
        #expect(diary.log == nil)
        context.insert(diary)
        context.insert(diary)
        #expect(diary.log == "insert")
        try context.save()
        #expect(diary.log == "insert save saved")
        try context.save()
        #expect(diary.log == "insert save saved")
        diary.text = "b"
        try context.save()
        #expect(diary.log == "insert save saved save saved")
    }

    /// An object that a relationship reaches is inserted too. Its hook runs when its relationships are in place.
    @Test func insertionThroughARelationship() throws {
        let diary = Diary(text: "a")
        let page = DiaryPage(number: 1, diary: diary)
        context.insert(page)
        #expect(diary.log == "insert" && page.diary === diary)
    }

    @Test("row 61: fetching awakes once with relationships") func fetchingAwakesOnceWithRelationships() throws {
        let diary = Diary(text: "a")
        context.insert(diary)
        context.insert(DiaryPage(number: 1, diary: diary))
        try context.save()
        let other = ModelContext(context.container)
        let read = try other.fetch(Diary.all)
        #expect(read.map(\.log) == ["fetch(1)"])
        #expect(try other.fetch(Diary.all).map(\.log) == ["fetch(1)"])
        let third = ModelContext(context.container)
        let found: Diary = try third.model(for: diary.persistentModelID)
        #expect(found.log == "fetch(1)")
        let lazily = ModelContext(context.container)
        let page = try #require(try lazily.fetch(DiaryPage.all).first)
        #expect(page.diary?.log == "fetch(1)")
    }

    @Test("row 61: deletion is prepared with relationships intact")
    func deletionIsPreparedWithRelationshipsIntact() throws {
        let diary = Diary(text: "a", pages: [DiaryPage(number: 1), DiaryPage(number: 2)])
        context.insert(diary)
        try context.save()
        diary.log = nil
        context.delete(diary)
        #expect(diary.log == "delete(2)")
        try context.save()
        #expect(diary.log == "delete(2) save saved" && diary.isDeleted && diary.modelContext == nil)
    }

    // MARK: will save

    @Test func whatWillSaveChangesIsSavedToo() throws {
        let diary = Diary(mood: "counting", text: "a")
        context.insert(diary)
        try context.save()
        #expect(diary.saves == 3 && !context.hasChanges)
        #expect(try context.fetched(Diary.self).map(\.saves) == [3])
    }

    @Test("row 63: what will save sets without a notice is saved too")
    func whatWillSaveSetsWithoutANoticeIsSavedToo() throws {
        let diary = Diary(mood: "stamping", text: "a")
        context.insert(diary)
        try context.save()
        #expect(diary.saves == 1 && diary.log == "insert save saved")
        diary.text = "b"
        try context.save()
        #expect(diary.saves == 2 && diary.log == "insert save saved save saved" && !context.hasChanges)
        #expect(try context.fetched(Diary.self).map(\.saves) == [2])
    }

    @Test func whatWillSaveInsertsIsAskedAndSavedToo() throws {
        let diary = Diary(mood: "writing", text: "a")
        context.insert(diary)
        try context.save()
        #expect(diary.pages.map(\.seen) == [1])
        #expect(try context.fetched(DiaryPage.self).map(\.seen) == [1])
    }

    @Test func oneThatNeverRestsIsNamed() throws {
        let restless = Diary(mood: "restless", text: "a")
        context.insert(restless)
        context.insert(Diary(text: "b"))
        #expect { try context.save() } throws: { error in
            guard case SaveError.unsettled(let objects) = error else { return false }
            return objects == [restless.persistentModelID]
        }
        #expect(try context.fetched(Diary.self).isEmpty)
        restless.mood = nil
        try context.save()
        #expect(try context.fetched(Diary.self).count == 2)
    }

    @Test("rows 66, 152: an observer of will save joins the transaction")
    func anObserverOfWillSaveJoinsTheTransaction() throws {
        let observation = context.observe(.willSave) { context, changes in
            for case let page as DiaryPage in changes.insertedModels { page.number += 100 }
            if changes.insertedModels.contains(where: { $0 is Diary }) { context.insert(Topic(name: "counted")) }
        }
        context.insert(Diary(text: "a", pages: [DiaryPage(number: 1)]))
        try context.save()
        #expect(try context.fetched(DiaryPage.self).map(\.number) == [101])
        #expect(try context.fetched(Topic.self).count == 1)
        observation.cancel()
        context.insert(Diary(text: "b"))
        try context.save()
        #expect(try context.fetched(Topic.self).count == 1)
    }

    // MARK: Snapshots

    @Test("row 61: snapshot events") func snapshotEvents() throws {
        let diary = Diary(text: "a")
        context.insert(diary)
        try context.save()
        context.withoutTransientChanges { diary.log = nil }
        diary.text = "b"
        context.rollback()
        #expect(diary.log == "snapshot(16)" && diary.text == "a")
        try context.refresh(diary)
        #expect(diary.log == "snapshot(16) snapshot(32)")
    }

    // MARK: Validators

    @Test("row 127: validators of the user are collected") func validatorsOfTheUserAreCollected() throws {
        let pages = [-1, -2, -4, 5].map { DiaryPage(number: $0) }
        for page in pages { context.insert(page) }
        #expect { try context.save() } throws: { error in
            guard case SaveError.validation(let failures) = error else { return false }
            #expect(failures.map(\.property) == ["number", "", "a", "b"])
            #expect(failures.map(\.code).allSatisfy { $0 == 1550 })
            #expect(failures[1].rule == .custom("refused") && failures[1].object == pages[1].persistentModelID)
            return true
        }
        #expect(try context.fetched(DiaryPage.self).isEmpty)
        // The bad ones can be found and removed.
        for page in pages.prefix(3) { context.delete(page) }
        try context.save()
        #expect(try context.fetched(DiaryPage.self).map(\.number) == [5])
    }

    @Test("row 127: a validator refuses a deletion") func aValidatorRefusesADeletion() throws {
        let page = DiaryPage(number: -3)
        context.insert(page)
        try context.save()
        context.delete(page)
        #expect { try context.save() } throws: { error in
            isValidation(error, [""], .custom("This page stays."))
        }
        context.rollback()
        #expect(!page.isDeleted)
        #expect(try context.fetched(DiaryPage.self).count == 1)
    }
}
