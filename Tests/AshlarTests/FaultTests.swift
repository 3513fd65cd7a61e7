import AshlarSQLite
import CFaultInjection
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// The disk fails at each operation in turn. Everything that was committed remains, and nothing is half done.
@Suite(.serialized) struct FaultTests {
    /// A failure of a full or broken disk, once or from then on.
    struct Fault: CustomTestStringConvertible {
        var code: Int32
        var isSticky: Bool

        var testDescription: String { "\(code)\(isSticky ? ", from then on" : "")" }

        static let all = [
            Fault(code: SQLITE_FULL, isSticky: false), Fault(code: SQLITE_FULL, isSticky: true),
            Fault(code: SQLITE_IOERR | 3 << 8, isSticky: true), Fault(code: SQLITE_IOERR | 4 << 8, isSticky: false),
        ]
    }

    init() { #expect(fault_install() == SQLITE_OK) }

    /// Calls a closure with one failing operation after the other, until the closure needs fewer operations.
    ///
    /// The closure calls `armed` once with the work that is to fail, and gets the error.
    private func forEachOperation(
        _ fault: Fault, each dense: Int, step: Int,
        _ body: (_ folder: TemporaryFolder, _ armed: (() throws -> Void) -> (any Error)?) throws -> Void
    ) throws {
        var number = 1
        while true {
            let folder = try TemporaryFolder()
            var seen = 0
            try body(folder) { work in
                fault_arm(folder.url.path, Int32(number), fault.code, FAULT_FAIL, fault.isSticky ? 1 : 0)
                defer { seen = Int(fault_disarm()) }
                do {
                    try work()
                    return nil
                } catch {
                    return error
                }
            }
            if seen < number { return }
            // The first operations open and lock files; later ones are alike.
            number += number < dense ? 1 : max(1, step / TestEffort.factor)
        }
    }

    private func isTyped(_ error: (any Error)?) -> Bool { error is StoreError || error is SaveError }

    @Test(arguments: Fault.all)
    func aSave(_ fault: Fault) throws {
        // A checkpoint at every commit makes a save write to the database file too.
        for options in [StoreOptions(), StoreOptions(cacheSize: 0, walAutocheckpoint: 1)] {
            try forEachOperation(fault, each: 6, step: 5) { folder, armed in
                let configuration = ModelConfiguration(url: folder.file(), options: options)
                let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
                let context = ModelContext(container)
                let labels = (0..<20).map { Label(name: "old \($0)") }
                for label in labels { context.insert(label) }
                try context.save()
                for label in labels[..<10] { label.name = "changed" }
                for label in labels[10..<15] { context.delete(label) }
                for index in 0..<200 { context.insert(Label(name: "new \(index)")) }
                let error = armed { try context.save() }
                let old = (0..<20).map { "old \($0)" }.sorted()
                let new =
                    (Array(repeating: "changed", count: 10) + (15..<20).map { "old \($0)" }
                    + (0..<200).map { "new \($0)" }).sorted()
                let names = try ModelContext(container).fetch(Label.all).map(\.name).sorted()
                #expect(names == (error == nil ? new : old))
                #expect(error == nil || isTyped(error), "\(String(describing: error))")
                // The context can repeat the save that failed.
                #expect(context.hasChanges == (error != nil))
                try context.save()
                let reopened = try ModelContainer(for: TortureModel.self, at: folder.file())
                #expect(try ModelContext(reopened).fetch(Label.all).map(\.name).sorted() == new)
                try reopened.expectSound()
            }
        }
    }

    @Test(arguments: Fault.all)
    func making(_ fault: Fault) throws {
        try forEachOperation(fault, each: 6, step: 97) { folder, armed in
            let error = armed { _ = try ModelContainer(for: TortureModel.self, at: folder.file()) }
            #expect(error == nil || isTyped(error), "\(String(describing: error))")
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            #expect(try ModelContext(container).fetchCount(Label.all) == 0)
            try container.expectSound()
        }
    }

    @Test("rows 159, 165: updating the schema", arguments: Fault.all, seeds(1))
    func updatingTheSchema(_ fault: Fault, _ seed: Seed) throws {
        let variant = SchemaVariant(seed: seed.number)
        try forEachOperation(fault, each: 3, step: 150) { folder, armed in
            try variant.makeStore(at: folder.file(), rows: 20)
            let before = try Snapshot(of: folder.file())
            let error = armed { _ = try ModelContainer(for: TortureModel.self, at: folder.file()) }
            #expect(error == nil || isTyped(error), "\(String(describing: error))")
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            try container.expectSound()
            #expect(try Snapshot(of: folder.file()) == before)
            let found = try container.pool.read { try SchemaCatalogue($0) }
            #expect(try found == SchemaCatalogue(of: TortureModel.modelDescription.schema))
        }
    }

    @Test(arguments: Fault.all)
    func backingUpAndReplacing(_ fault: Fault) throws {
        try forEachOperation(fault, each: 3, step: 37) { folder, armed in
            for (name, label) in [("a.store", "a"), ("b.store", "b")] {
                let context = ModelContext(try ModelContainer(for: TortureModel.self, at: folder.file(name)))
                context.insert(Label(name: label))
                try context.save()
            }
            let error = armed {
                try ModelContainer.replaceStore(at: folder.file("a.store"), withStoreFrom: folder.file("b.store"))
            }
            #expect(error == nil || isTyped(error), "\(String(describing: error))")
            for (name, label) in [("a.store", error == nil ? "b" : "a"), ("b.store", "b")] {
                let container = try ModelContainer(for: TortureModel.self, at: folder.file(name))
                #expect(try ModelContext(container).fetch(Label.all).map(\.name) == [label])
                try container.expectSound()
            }
        }
    }

    // MARK: Damage

    @Test func aDamagedPage() throws {
        let folder = try TemporaryFolder()
        let url = folder.file()
        do {
            let context = ModelContext(try ModelContainer(for: TortureModel.self, at: url))
            for index in 0..<2000 { context.insert(Label(name: "\(index)")) }
            try context.save()
        }
        let sound = try Data(contentsOf: url)
        for page in stride(from: 0, to: sound.count / 4096, by: max(1, 3 / TestEffort.factor)) {
            var bytes = sound
            bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xA5, count: 4096))
            try bytes.write(to: url)
            do {
                let container = try ModelContainer(for: TortureModel.self, at: url)
                _ = try ModelContext(container).fetch(Label.all)
                // A full check finds a damaged page that the fetch did not read.
                #expect(try !container.integrityProblems().isEmpty)
            } catch let error as StoreError {
                switch error {
                case .damaged(let found, _), .notADatabase(let found): #expect(found == url)
                default: Issue.record(error)
                }
            }
            // A damaged store can be destroyed, unless the damaged page is the first one, which identifies the store.
            if page > 0 {
                try ModelContainer.destroyStore(at: url)
                #expect(try folder.contents().isEmpty)
            }
        }
    }

    @Test("row 80: rows that another program deleted") func rowsThatAnotherProgramDeleted() throws {
        let folder = try TemporaryFolder()
        let context = ModelContext(try ModelContainer(for: TortureModel.self, at: folder.file()))
        let labels = (0..<3).map { Label(name: "\($0)") }
        for label in labels { context.insert(label) }
        try context.save()
        try ForeignDatabase.make(at: folder.file(), "DELETE FROM Label WHERE name = '1'")
        labels[0].name = "changed"
        labels[1].name = "lost"
        #expect {
            try context.save()
        } throws: {
            guard case SaveError.conflict(let objects) = $0 else { return false }
            return objects.map(\.object) == [labels[1].persistentModelID]
        }
        #expect(try context.container.text("SELECT group_concat(name) FROM Label") == "0,2")
    }
}
