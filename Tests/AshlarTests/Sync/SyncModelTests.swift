import AshlarSync
import Foundation
import RandomNumbers
import RandomSeeds
import SyncLogs
import Testing

@testable import Ashlar

/// The engine, compared with a model of the protocol over random schedules: after each step, every store has the
/// objects and the events of the model.
@Suite struct SyncModelTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("the engine decides as the model does", arguments: seeds()) func decisions(seed: Seed) async throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...4, using: &generator)
        let log = InterruptedLog(try StoreLog(at: folder.file("log")))
        var model = SyncModel(count: count)
        var stores: [Store] = []
        for number in 0..<count { stores.append(try Store(folder.file("\(number).store"), log)) }
        // All stores have joined the log, so that they have leased numbers and the log begins empty.
        for store in stores { try await store.sync.synchronize() }
        for step in 0..<Int.random(in: 10...50, using: &generator) {
            let number = Int.random(in: 0..<count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...4: try write(&model, number, stores[number], &generator)
            case 5: stores[number] = try Store(folder.file("\(number).store"), log)
            case 6:
                // Another store appends before this one does.
                let other = (number + 1) % count
                let sync = stores[other].sync
                log.interruption.withLock { $0 = { try await sync.synchronize() } }
                try await stores[number].sync.synchronize()
                let isInterrupted = log.interruption.withLock { $0 == nil }
                log.interruption.withLock { $0 = nil }
                if isInterrupted { model.exchange(other) }
                model.exchange(number)
            default:
                try await stores[number].sync.synchronize()
                model.exchange(number)
            }
            for (number, store) in stores.enumerated() {
                let (found, wanted) = (try store.texts(), model.texts(number))
                try #require(found == wanted, "store \(number), step \(step), seed \(seed)")
                let events = try await store.events()
                try #require(events == model.peers[number].events, "store \(number), step \(step), seed \(seed)")
            }
        }
    }

    private func write(
        _ model: inout SyncModel, _ number: Int, _ store: Store, _ generator: inout SeededGenerator
    ) throws {
        let kind = SyncModel.Kind.allCases[Int.random(in: 0..<4, using: &generator)]
        let known = model.peers[number].objects.values.filter { $0.kind == kind }.map(\.name).sorted()
        let value = Int.random(in: 1...20, using: &generator)
        if known.isEmpty || generator.oneIn(3) {
            let name =
                kind.isUnique ? "\(Int.random(in: 1...4, using: &generator))" : "\(generator.next() >> 40)"
            if model.number(kind, name, at: number) != nil { return }
            let object = SyncModel.Object(kind: kind, name: name, value: value)
            model.insert(object, at: number)
            try store.insert(object)
            return
        }
        let name = known[Int.random(in: 0..<known.count, using: &generator)]
        guard let id = model.number(kind, name, at: number), let object = model.peers[number].objects[id] else {
            return
        }
        if generator.oneIn(4) {
            model.delete(id, at: number)
            try store.delete(object)
        } else {
            let new = kind == .vessel ? object.value + value : value
            model.set(new, of: id, at: number)
            try store.set(new, of: object)
        }
    }

    /// A store of the Harbor model that takes the same steps as the model.
    private struct Store {
        let container: ModelContainer
        let sync: StoreSync

        init(_ url: URL, _ log: InterruptedLog) throws {
            let configuration = ModelConfiguration(url: url, options: StoreOptions(historyTracking: true))
            container = try ModelContainer(for: HarborModel.self, configurations: configuration)
            sync = try StoreSync(container, with: log)
        }

        /// Beacons and quays are identified by a number alone: a quay's own, and the hundreds of a beacon's range.
        func insert(_ object: SyncModel.Object) throws {
            let context = ModelContext(container)
            let value = Int64(object.value)
            switch object.kind {
            case .beacon: context.insert(Beacon(range: Self.range(object)))
            case .pennant: context.insert(Pennant(colour: "\(value)", key: object.name))
            case .quay: context.insert(Quay(depth: Double(value), number: Int64(object.name) ?? 0))
            case .vessel: context.insert(Vessel(name: object.name, tonnage: value))
            }
            try context.save()
        }

        private static func range(_ object: SyncModel.Object) -> Double {
            (Double(object.name) ?? 0) * 100 + Double(object.value)
        }

        private func change(
            _ object: SyncModel.Object, _ body: (ModelContext, any ManagedObject & PersistentModel) -> Void
        ) throws {
            let context = ModelContext(container)
            func apply(_ found: (some ManagedObject & PersistentModel)?) throws { body(context, try #require(found)) }
            switch object.kind {
            case .beacon:
                let range = Self.range(object)
                try apply(context.fetch(Beacon.where { $0.range == range }).first)
            case .pennant: try apply(context.fetch(Pennant.where { $0.key == object.name }).first)
            case .quay:
                let number = Int64(object.name) ?? 0
                try apply(context.fetch(Quay.where { $0.number == number }).first)
            case .vessel: try apply(context.fetch(Vessel.where { $0.name == object.name }).first)
            }
            try context.save()
        }

        func delete(_ object: SyncModel.Object) throws {
            try change(object) { context, found in context.delete(found) }
        }

        func set(_ value: Int, of object: SyncModel.Object) throws {
            var new = object
            new.value = value
            try change(object) { _, found in
                (found as? Beacon)?.range = Self.range(new)
                (found as? Pennant)?.colour = "\(value)"
                (found as? Quay)?.depth = Double(value)
                (found as? Vessel)?.tonnage = Int64(value)
            }
        }

        func texts() throws -> [String] {
            let context = ModelContext(container)
            var texts = try context.fetch(Beacon.all).map { beacon in
                let range = Int(beacon.range)
                return "beacon \(range / 100) \(range % 100)"
            }
            texts += try context.fetch(Pennant.all).map { "pennant \($0.key) \($0.colour ?? "")" }
            texts += try context.fetch(Quay.all).map { "quay \($0.number) \(Int($0.depth ?? 0))" }
            texts += try context.fetch(Vessel.all).map { "vessel \($0.name) \($0.tonnage ?? 0)" }
            return texts.sorted()
        }

        func events() async throws -> [String: Int] {
            var counts: [String: Int] = [:]
            for event in try await sync.keptEvents() { counts[event.kind.rawValue, default: 0] += 1 }
            return counts
        }
    }
}
