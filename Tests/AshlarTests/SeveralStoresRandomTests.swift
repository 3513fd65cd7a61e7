import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Random sequences on several stores and on one store lead to the same contents.
@Suite struct SeveralStoresRandomTests {
    /// One user of a container, whose choices are those of its seed.
    private struct Player {
        let container: ModelContainer
        let context: ModelContext
        var generator: SeededGenerator
        var serial = 0

        init(_ container: ModelContainer, seed: UInt64) {
            self.container = container
            context = ModelContext(container)
            context.undoManager = ModelUndoManager()
            generator = SeededGenerator(seed: seed)
        }

        private mutating func name() -> String {
            serial += 1
            return "É \(serial)"
        }

        private mutating func any<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Model? {
            try context.fetch(descriptor).randomElement(using: &generator)
        }

        private mutating func number() -> Int64 { Int64.random(in: 0..<5, using: &generator) }

        private mutating func data() -> Data? {
            generator.oneIn(3) ? nil : Data(repeating: 1, count: generator.oneIn(3) ? 110_000 : Int(number()))
        }

        mutating func insert() throws {
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: context.insert(Memo(rank: number(), scan: data(), title: name()))
            case 1:
                let reminder = Reminder(due: Date(timeIntervalSinceReferenceDate: Double(number())))
                reminder.title = name()
                context.insert(reminder)
            case 2: context.insert(Emblem(name: name()))
            // One key in four is `taken`, so that some saves are refused as a whole.
            case 3: context.insert(Preference(key: generator.oneIn(4) ? "taken" : name()))
            case 4: context.insert(Landmark(latitude: Double(number()), name: name(), plan: data()))
            case 5:
                let landmark = try any(Landmark.order { $0.name.ascending })
                context.insert(Visit(date: Date(timeIntervalSinceReferenceDate: Double(number())), landmark: landmark))
            default: context.insert(Sketch(text: name()))
            }
        }

        mutating func change() throws {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                guard let memo = try any(Memo.order { $0.title.ascending }) else { return }
                memo.rank = number()
                if generator.oneIn(3) { memo.scan = data() }
            case 1:
                guard let memo = try any(Memo.order { $0.title.ascending }),
                    let emblem = try any(Emblem.order { $0.name.ascending })
                else { return }
                if memo.emblems.contains(emblem) { memo.emblems.remove(emblem) } else { memo.emblems.append(emblem) }
            case 2: try any(Preference.order { $0.key.ascending })?.setting = name()
            case 3: try any(Landmark.order { $0.name.ascending })?.plan = data()
            default:
                guard let landmark = try any(Landmark.order { $0.name.ascending }) else { return }
                context.insert(Picture(caption: name(), landmark: landmark))
            }
        }

        mutating func delete() throws {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: if let memo = try any(Memo.order { $0.title.ascending }) { context.delete(memo) }
            case 1: if let emblem = try any(Emblem.order { $0.name.ascending }) { context.delete(emblem) }
            case 2: if let preference = try any(Preference.order { $0.key.ascending }) { context.delete(preference) }
            default: if let landmark = try any(Landmark.order { $0.name.ascending }) { context.delete(landmark) }
            }
        }

        /// Saves. Returns the outcome.
        mutating func save() -> String {
            do {
                try context.save()
                return "saved"
            } catch SaveError.notUnique(let object, let properties, _) {
                context.rollback()
                return "\(object.entityName) \(properties)"
            } catch {
                context.rollback()
                return "\(error)"
            }
        }

        /// Runs a batch operation on the saved rows. Returns the number of rows that it wrote.
        mutating func batch() throws -> String {
            context.undoManager?.removeAllActions()
            let number = number()
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: return "\(try context.batchUpdate(Memo.where { $0.rank > number }) { $0.rank -= 1 }) memos"
            case 1: return "\(try context.batchDelete(Landmark.where { $0.latitude == Double(number) })) landmarks"
            case 2:
                let values = [Memo.Values(rank: number, scan: data(), title: name()), Memo.Values(title: name())]
                return "\(try context.batchInsert(contentsOf: values)) new memos"
            default: return "\(try context.batchDelete(Memo.where { $0.rank == number })) memos gone"
            }
        }

        /// Takes a step. Returns its outcome.
        mutating func step() throws -> String {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<8: try insert()
            case 8..<13: try change()
            case 13..<15: try delete()
            case 15..<18:
                let result = save()
                return generator.oneIn(3) ? result + " " + (try batch()) : result
            case 18:
                if generator.oneIn(2) { context.rollback() } else { context.undoManager?.undo() }
            default:
                let unsaved = context.insertedModelsArray
                try context.obtainPermanentIdentifiers(for: unsaved)
            }
            return "\(try context.fetchCount(Memo.all)) \(try context.fetchCount(Visit.all))"
        }
    }

    @Test("row 49: several stores hold what one would", arguments: seeds())
    func severalStoresHoldWhatOneWould(_ seed: Seed) throws {
        let folder = try TemporaryFolder()
        var players = try [
            Outpost.container(in: folder), Outpost.memory(),
            ModelContainer(for: OutpostModel.self, at: folder.file("whole.store")),
        ].map { Player($0, seed: seed.number) }
        for number in 0..<150 {
            let results = try players.indices.map { try players[$0].step() }
            #expect(Set(results).count == 1, "seed \(seed), step \(number): \(results)")
            if number % 30 == 29 {
                let snapshots = try players.map { try OutpostSnapshot($0.container) }
                #expect(Set(snapshots).count == 1, "seed \(seed), step \(number)")
            }
        }
        for player in players {
            #expect(try player.container.integrityProblems().isEmpty, "seed \(seed)")
            player.context.rollback()
            #expect(try player.container.removeOrphanedExternalData() == 0, "seed \(seed)")
        }
        // The migrations of the parts have the same result as the migration of the whole store.
        let reopened = try [
            Outpost.container(in: folder), ModelContainer(for: OutpostModel.self, at: folder.file("whole.store")),
        ]
        #expect(try OutpostSnapshot(reopened[0]) == OutpostSnapshot(reopened[1]), "seed \(seed)")
    }
}
