import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// The same change made by a batch and by objects one by one, on copies of one store. The tables must be equal
/// afterwards.
@Suite struct BatchRandomTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A copy of a store.
    private func copy(
        _ container: ModelContainer, _ name: String, _ model: any ManagedObjectModel.Type = TortureModel.self
    ) throws -> ModelContainer {
        let url = folder.file(name)
        try? FileManager.default.removeItem(at: url)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        try container.backUp(to: url)
        return try ModelContainer(for: model, at: url)
    }

    private func compare(
        _ first: ModelContainer, _ second: ModelContainer, _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let difference = try StoreContents(first).difference(from: StoreContents(second))
        #expect(difference == nil, Testing.Comment(rawValue: comment), sourceLocation: sourceLocation)
        try second.expectSound(Testing.Comment(rawValue: comment), sourceLocation: sourceLocation)
    }

    // MARK: Updates

    /// An assignment as a batch writes it, and the same change of an object. The object's new value is computed before
    /// any object changes.
    private struct Change {
        var assign: (inout ColumnAssignments<Sample>) -> Void
        var prepare: (Sample) -> () -> Void

        init<Value>(
            _ path: ReferenceWritableKeyPath<Sample, Value>, _ value: @escaping (Sample) -> Value,
            _ assign: @escaping (inout ColumnAssignments<Sample>) -> Void
        ) {
            self.assign = assign
            prepare = { sample in
                let value = value(sample)
                return { sample[keyPath: path] = value }
            }
        }
    }

    private func change(
        _ random: inout RandomConditions, _ label: Label?, _ parent: Sample?
    ) -> Change {
        let text = random.pick(RandomConditions.texts)
        switch Int.random(in: 0..<16, using: &random.random) {
        case 0: return Change(\.flag, { $0.latitude > 1 }, { $0.flag = $0.latitude > 1 })
        case 1: return Change(\.latitude, { $0.latitude * 2 - 1 }, { $0.latitude = $0.latitude * 2 - 1 })
        case 2: return Change(\.longitude, { $0.latitude }, { $0.longitude = $0.latitude })
        case 3: return Change(\.weight, { $0.weight.map { $0 / 4 } }, { $0.weight /= 4 })
        case 4: return Change(\.title, { $0.name }, { $0.title = $0.name })
        case 5: return Change(\.name, { _ in text }, { $0.name = text })
        case 6: return Change(\.title, { $0.home?.name }, { $0.title = $0.home.name })
        case 7: return Change(\.title, { $0.parent?.title }, { $0.title = $0.parent.title })
        case 8: return Change(\.price, { $0.price.map { $0 + 1 } }, { $0.price += 1 })
        case 9: return Change(\.small, { $0.small.map { $0 / 2 } }, { $0.small /= 2 })
        case 10: return Change(\.home, { _ in label }, { $0.home = label })
        case 11: return Change(\.parent, { _ in parent }, { $0.parent = parent })
        case 12: return Change(\.spot.altitude, { $0.longitude }, { $0.spot.altitude = $0.longitude })
        case 13:
            let place = { (sample: Sample) in
                var place = sample.place
                place?.street = text
                place?.position?.latitude = 3
                return place
            }
            return Change(\.place, place) {
                $0.place.street = text
                $0.place.position.latitude = 3
            }
        case 14: return Change(\.place, { _ in nil }, { $0.place = nil })
        default: return Change(\.mood, { _ in .calm }, { $0.mood = .calm })
        }
    }

    @Test("row 142: a batch update does what changing objects does", arguments: seeds())
    func aBatchUpdateDoesWhatChangingObjectsDoes(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let container = try ModelContainer(for: TortureModel.self, at: folder.file())
        let context = ModelContext(container)
        let labels = ["", "a", "é"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        var samples: [Sample] = []
        for _ in 0..<60 {
            let sample = Sample()
            context.insert(sample)
            samples.append(sample)
        }
        for sample in samples { random.change(sample, among: samples, labels) }
        try context.save()
        for round in 0..<6 * TestEffort.factor {
            let comment = "seed \(seed), round \(round)"
            let (first, second) = (try copy(container, "a.store"), try copy(container, "b.store"))
            let (objects, batch) = (ModelContext(first), ModelContext(second))
            var descriptor = Sample.all
            descriptor.condition = random.condition(Sample._ashlarColumns, depth: 2, samples, labels)
            let state = random
            // Both contexts draw the same random numbers.
            func changes(_ context: ModelContext) throws -> [Change] {
                random = state
                let label = try context.fetch(Label.order { $0.name.ascending }).first
                let parent = try context.fetch(Sample.where { $0 == samples[7] }).first
                let count = Int.random(in: 1...3, using: &random.random)
                // Each change is a batch of its own, because later assignments of a batch read the results of earlier
                // ones.
                return (0..<count).map { _ in change(&random, label, parent) }
            }
            let registered = try batch.fetch(Sample.all)
            let found = try objects.fetch(descriptor)
            var count = 0
            for (one, other) in zip(try changes(objects), try changes(batch)) {
                let again = one.prepare
                let assignments = found.map(again)
                for assignment in assignments { assignment() }
                try objects.save()
                var request = descriptor
                // Later assignments apply to the rows of the first one, even if these no longer match.
                request.condition = Condition(
                    .isIn(Sample._ashlarColumns._ashlarIdentifier, found.map { .integer($0.persistentModelID.rowID) }))
                if count == 0 { request = descriptor }
                count += 1
                #expect(try batch.batchUpdate(request, other.assign) == found.count, Testing.Comment(rawValue: comment))
            }
            try compare(first, second, comment)
            let fresh = try ModelContext(second).fetchValues(Sample.all)
            #expect(registered.map(\.values) == fresh, Testing.Comment(rawValue: comment))
        }
    }

    // MARK: Deletions

    @Test("row 143: a batch deletion does what deleting objects does", arguments: seeds())
    func aBatchDeletionDoesWhatDeletingObjectsDoes(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let container = try ModelContainer(for: TortureModel.self, at: folder.file())
        try fill(ModelContext(container), &random)
        var outcomes: [Bool: Int] = [:]
        for round in 0..<26 * TestEffort.factor {
            let comment = "seed \(seed), round \(round)"
            let (first, second) = (try copy(container, "a.store"), try copy(container, "b.store"))
            let deleted: Bool
            switch round % 13 {
            case 0: deleted = try delete(Node.self, first, second, &random, comment)
            case 1: deleted = try delete(Owner.self, first, second, &random, comment)
            case 2: deleted = try delete(Person.self, first, second, &random, comment)
            case 3: deleted = try delete(Chassis.self, first, second, &random, comment)
            case 4: deleted = try delete(Engine.self, first, second, &random, comment)
            case 5: deleted = try delete(Vehicle.self, first, second, &random, comment)
            case 6: deleted = try delete(Car.self, first, second, &random, comment)
            case 7: deleted = try delete(Playlist.self, first, second, &random, comment)
            case 8: deleted = try delete(Song.self, first, second, &random, comment)
            case 9: deleted = try delete(Label.self, first, second, &random, comment)
            case 10: deleted = try delete(Passport.self, first, second, &random, comment)
            case 11: deleted = try delete(Boat.self, first, second, &random, comment)
            default: deleted = try delete(Sample.self, first, second, &random, comment)
            }
            outcomes[deleted, default: 0] += 1
            try compare(first, second, comment)
        }
        #expect(outcomes[true, default: 0] > 10 && outcomes[false, default: 0] > 0, "seed \(seed): \(outcomes)")
    }

    /// Deletes random objects of a class from two copies of a store. Returns `false` if both copies refused.
    private func delete<Model: PersistentModel>(
        _ type: Model.Type, _ first: ModelContainer, _ second: ModelContainer, _ random: inout SeededGenerator,
        _ comment: String
    ) throws -> Bool {
        let (objects, batch) = (ModelContext(first), ModelContext(second))
        let found = try objects.fetch(FetchDescriptor<Model>())
        let (many, isAll) = (random.oneIn(2), random.oneIn(6))
        let chosen = found.filter { _ in isAll || (many ? !random.oneIn(3) : random.oneIn(6)) }
        let rowIDs = chosen.map(\.persistentModelID.rowID)
        let own = try batch.fetch(FetchDescriptor<Model>()).filter { rowIDs.contains($0.persistentModelID.rowID) }
        let registered = try batch.fetch(FetchDescriptor<Model>())
        var refusal: (any Error)?
        do {
            for object in chosen { objects.delete(object) }
            try objects.save()
        } catch SaveError.validation(let failures) {
            refusal = SaveError.validation(failures)
        }
        do {
            let request = BatchDeleteRequest(Model.self, identifiers: own.map(\.persistentModelID))
            #expect(try batch.execute(request).count == chosen.count, Testing.Comment(rawValue: comment))
            #expect(refusal == nil, "\(comment): objects were refused: \(String(describing: refusal))")
            #expect(own.allSatisfy { $0.isDeleted }, Testing.Comment(rawValue: comment))
            let left = try Set(ModelContext(second).fetchIdentifiers(FetchDescriptor<Model>()))
            #expect(registered.allSatisfy { $0.isDeleted != left.contains($0.persistentModelID) }, "\(comment)")
        } catch let error as BatchError {
            #expect(refusal != nil, "\(comment): the batch was refused: \(error)")
            #expect(own.allSatisfy { !$0.isDeleted }, Testing.Comment(rawValue: comment))
        }
        return refusal == nil
    }

    private func fill(_ context: ModelContext, _ random: inout SeededGenerator) throws {
        func some<Object>(_ objects: [Object]) -> Object? {
            random.oneIn(4) ? nil : objects.randomElement(using: &random)
        }
        let labels = (0..<4).map { Label(name: "\($0)") }
        let people = (0..<8).map { Person(name: "\($0)") }
        let nodes = (0..<24).map { Node(name: "\($0)") }
        for object in labels as [ManagedObject] + people + nodes { context.insertObject(object) }
        for (number, node) in nodes.enumerated() {
            node.parent = number > 0 ? some(Array(nodes[..<number])) : nil
            if random.oneIn(3) { node.spouse = some(nodes) }
            for other in nodes where random.oneIn(9) {
                node.targets.append(other)
                node.friends.append(other)
                node.ranking.append(other)
            }
            node.favourite = some(labels)
            node.marks = ToMany(labels.filter { _ in random.oneIn(2) })
        }
        for person in people {
            person.labels = ToMany(labels.filter { _ in random.oneIn(2) })
            if random.oneIn(2) { context.insert(Passport(number: person.name, person: person)) }
            for vehicle in [Car(name: "c"), Truck(name: "t", load: 1), Boat(name: "b"), Bus(name: "s")] as [Vehicle] {
                vehicle.driver = some(people)
                context.insert(vehicle)
                let crate = Crate(name: "x")
                context.insert(crate)
                if let car = vehicle as? Car { crate.car = car }
                if let boat = vehicle as? Boat { crate.boat = boat }
            }
        }
        for number in 0..<6 { context.insert(Engine(name: "spare \(number)")) }
        for number in 0..<6 { context.insert(Chassis(name: "\(number)", engine: Engine(name: "\(number)"))) }
        for number in 0..<10 {
            let owner = Owner(name: "\(number)")
            context.insert(owner)
            for _ in 0..<2 {
                context.insert(Nullified(name: "n", owner: owner))
                context.insert(Cascaded(name: "c", owner: owner))
                context.insert(Ignored(name: "i", owner: owner))
            }
            if number > 7 { context.insert(Denied(name: "d", owner: owner)) }
            if number == 3 { context.insert(Required(name: "r", owner: owner)) }
        }
        let songs = (0..<6).map { Song(name: "\($0)") }
        for song in songs { context.insert(song) }
        for number in 0..<5 {
            let playlist = Playlist(name: "\(number)")
            context.insert(playlist)
            playlist.tracks = ToMany((0..<3).map { Track(name: "\($0)") })
            playlist.songs = ToMany(songs.filter { _ in random.oneIn(2) })
        }
        let samples = (0..<12).map { Sample(name: "\($0)") }
        for sample in samples {
            context.insert(sample)
            sample.parent = some(samples)
            sample.home = some(labels)
        }
        try context.save()
    }

    /// Deletion rules that foreign keys cannot express: those of the side that holds the reference, and those of links
    /// in a table.
    @Test("row 143: deletion rules of all kinds hold in batches", arguments: seeds())
    func deletionRulesOfAllKindsHold(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let container = try ModelContainer(for: DepotModel.self, at: folder.file())
        try fillDepot(ModelContext(container), &random)
        var outcomes: [Bool: Int] = [:]
        for round in 0..<26 * TestEffort.factor {
            let comment = "seed \(seed), round \(round)"
            let (first, second) = (
                try copy(container, "a.store", DepotModel.self), try copy(container, "b.store", DepotModel.self)
            )
            let deleted: Bool
            switch round % 6 {
            case 0, 1: deleted = try delete(Parcel.self, first, second, &random, comment)
            case 2: deleted = try delete(Slip.self, first, second, &random, comment)
            case 3: deleted = try delete(Binder.self, first, second, &random, comment)
            case 4: deleted = try delete(Guard.self, first, second, &random, comment)
            default: deleted = try delete(Badge.self, first, second, &random, comment)
            }
            outcomes[deleted, default: 0] += 1
            try compare(first, second, comment)
        }
        #expect(outcomes[true, default: 0] > 2 && outcomes[false, default: 0] > 0, "seed \(seed): \(outcomes)")
    }

    private func fillDepot(_ context: ModelContext, _ random: inout SeededGenerator) throws {
        let binders = (0..<6).map { Binder(name: "\($0)") }
        let slips = (0..<10).map { Slip(name: "\($0)") }
        let stamps = (0..<8).map { Stamp(name: "\($0)") }
        let seals = (0..<3).map { Seal(name: "\($0)") }
        let lorry = Lorry(name: "l")
        for object in binders as [ManagedObject] + slips + stamps + seals + [lorry] { context.insertObject(object) }
        for slip in slips { slip.folder = random.oneIn(3) ? nil : binders.randomElement(using: &random) }
        seals[0].binder = binders[0]
        for number in 0..<20 {
            let parcel = Parcel(name: "\(number)")
            context.insert(parcel)
            parcel.slip = random.oneIn(3) ? nil : slips.randomElement(using: &random)
            parcel.stamps = ToMany(stamps.filter { _ in random.oneIn(4) })
            if random.oneIn(12) { parcel.seals = ToMany([seals[1]]) }
            if random.oneIn(12) { parcel.lorry = lorry }
        }
        for number in 0..<6 { context.insert(Badge(name: "\(number)", guard: Guard(name: "\(number)"))) }
        try context.save()
    }
}
