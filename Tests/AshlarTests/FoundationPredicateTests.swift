import Foundation
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Predicates and sort descriptors of Foundation, compared with Foundation's own evaluation.
@Suite struct FoundationPredicateTests {
    @Test("rows 36, 119: Foundation and the store agree", arguments: seeds())
    func foundationAndStoreAgree(_ seed: Seed) throws {
        var shapes = PredicateShapes(seed: seed.number)
        let context = try memoryContext()
        let labels = ["", "a", "é"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        var samples = (0..<40).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { shapes.fill(sample, among: samples, labels) }
        try context.save()
        for round in 0..<4 {
            for shape in 0..<PredicateShapes.count {
                let predicate = shapes.predicate(shape, samples)
                let descriptor = FetchDescriptor(predicate: predicate)
                let tree = descriptor.condition.map { "\($0.expression)" } ?? ""
                let comment = Testing.Comment(rawValue: "seed \(seed), round \(round), shape \(shape): \(tree)")
                let expected = try samples.filter { try predicate.evaluate($0) }
                let found = try context.fetch(descriptor)
                #expect(Set(found) == Set(expected) && found.count == expected.count, comment)
                #expect(try context.fetchCount(descriptor) == expected.count, comment)
            }
            if round == 1 { try context.save() }
            // The changes of even rounds are still unsaved in the odd ones.
            for sample in samples.prefix(6) { shapes.fill(sample, among: samples, labels) }
            let added = Sample()
            context.insert(added)
            shapes.fill(added, among: samples, labels)
            samples.append(added)
            context.delete(samples.remove(at: 7))
        }
    }

    /// The SQL of each shape, compared with `Golden/Predicates.txt`.
    ///
    /// `ASHLAR_UPDATE_GOLDEN=1 swift test --filter FoundationPredicateTests` rewrites the file.
    @Test func textIsAsCommitted() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/Predicates.txt")
        var shapes = PredicateShapes(seed: 1)
        let context = try memoryContext()
        let samples = [Sample(), Sample()]
        for sample in samples { context.insert(sample) }
        let texts = try (0..<PredicateShapes.count).filter { $0 != 36 }.map { shape in
            let descriptor = FetchDescriptor(predicate: shapes.predicate(shape, samples))
            return "\(shape): \(try descriptor.statement(selecting: "1", limit: nil, offset: nil).text)"
        }
        let text = texts.joined(separator: "\n\n") + "\n"
        if ProcessInfo.processInfo.environment["ASHLAR_UPDATE_GOLDEN"] == "1" {
            try Foundation.Data(text.utf8).write(to: file)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == text, "set ASHLAR_UPDATE_GOLDEN=1 and look at the diff")
    }

    @Test func hierarchies() throws {
        let context = try memoryContext()
        let person = Person(name: "p")
        context.insert(person)
        context.insert(Car(name: "car", driver: person))
        context.insert(Truck(name: "truck", load: 2))
        context.insert(Boat(name: "boat"))
        try context.save()
        func names(_ predicate: Predicate<Vehicle>) throws -> [String] {
            let found = try context.fetch(FetchDescriptor(predicate: predicate))
            let expected = try context.fetch(Vehicle.all).filter { try predicate.evaluate($0) }
            #expect(Set(found) == Set(expected))
            return found.map(\.name).sorted()
        }
        #expect(try names(#Predicate { $0 is Car }) == ["car", "truck"])
        #expect(try names(#Predicate { !($0 is Truck) && $0.wheels == 4 }) == ["boat", "car"])
        #expect(try names(#Predicate { ($0 as? Car)?.doors == 4 }) == ["car", "truck"])
        #expect(try names(#Predicate { ($0 as? Truck)?.name == nil }) == ["boat", "car"])
        #expect(try names(#Predicate { ($0 as? Truck)?.load == 2 }) == ["truck"])
        #expect(try names(#Predicate { $0.driver?.name == "p" }) == ["car"])
        let cars = try context.fetch(
            FetchDescriptor(predicate: #Predicate<Truck> { $0.name == "truck" && $0.doors == 4 }))
        #expect(cars.map(\.name) == ["truck"])
        let people = #Predicate<Person> { $0.vehicles.contains { $0 is Car && $0.name == "car" } }
        #expect(try context.fetch(FetchDescriptor(predicate: people)) == [person])
    }

    @Test func orderedRelationships() throws {
        let context = try memoryContext()
        let songs = ["a", "b", "c"].map { Song(name: $0) }
        let lists = ["x", "y"].map { Playlist(name: $0) }
        for song in songs { context.insert(song) }
        for list in lists { context.insert(list) }
        lists[0].songs = [songs[1], songs[0]]
        lists[1].songs = [songs[2]]
        try context.save()
        let first = #Predicate<Playlist> { $0.songs.first?.name == "b" }
        #expect(try context.fetch(FetchDescriptor(predicate: first)) == [lists[0]])
        let last = #Predicate<Playlist> { $0.songs.last?.name == "c" }
        #expect(try context.fetch(FetchDescriptor(predicate: last)) == [lists[1]])
        let second = #Predicate<Playlist> { $0.songs[1].name == "a" }
        #expect(try context.fetch(FetchDescriptor(predicate: second)) == [lists[0]])
        let song = songs[2].persistentModelID
        let containing = #Predicate<Playlist> { $0.songs.contains { $0.persistentModelID == song } }
        #expect(try context.fetch(FetchDescriptor(predicate: containing)) == [lists[1]])
    }

    @Test("row 122: sort descriptors", arguments: seeds())
    func sortDescriptors(_ seed: Seed) throws {
        var shapes = PredicateShapes(seed: seed.number)
        let context = try memoryContext()
        let samples = (0..<40).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { shapes.fill(sample, among: samples, []) }
        try context.save()
        let orders: [[SortDescriptor<Sample>]] = [
            [SortDescriptor(\.count), SortDescriptor(\.name, comparator: .lexical, order: .reverse)],
            [SortDescriptor(\.weight, order: .reverse), SortDescriptor(\.title, comparator: .lexical)],
            [SortDescriptor(\.spot.latitude), SortDescriptor(\.price), SortDescriptor(\.day, order: .reverse)],
        ]
        for order in orders {
            for _ in 0..<2 {
                let found = try context.fetch(FetchDescriptor(sortBy: order))
                #expect(found.count == samples.count)
                for (first, second) in zip(found, found.dropFirst()) {
                    let result = order.lazy.map { $0.compare(first, second) }.first { $0 != .orderedSame }
                    #expect(result != .orderedDescending, "seed \(seed)")
                }
                for sample in samples.prefix(8) { shapes.fill(sample, among: samples, []) }
            }
            context.rollback()
        }
        let byIdentity = FetchDescriptor(sortBy: [SortDescriptor(\Sample.persistentModelID, order: .reverse)])
        let identifiers = try context.fetch(byIdentity).map(\.persistentModelID)
        #expect(identifiers == identifiers.sorted(by: >))
    }

    /// The store and memory sort texts in the same order.
    @Test("row 120: collations") func collations() throws {
        let context = try memoryContext()
        for name in ["b10", "B9", "a", "É", "e", "z", "A"] { context.insert(Label(name: name)) }
        try context.save()
        for collation in TextCollation.allCases {
            let descriptor = Label.order { $0.name.ascending.comparing(collation) }
            let names = try context.fetch(descriptor).map(\.name)
            #expect(names == names.sorted { collation.compare($0, $1) < 0 })
            #if !canImport(Darwin)
                let sortDescriptor = SortDescriptor(\Label.name, comparator: collation)
                #expect(try context.fetch(FetchDescriptor(sortBy: [sortDescriptor])).map(\.name) == names)
                #expect(try context.fetch(Label.all).sorted(using: sortDescriptor).map(\.name) == names)
            #endif
            let added = Label(name: "f")
            context.insert(added)
            let pending = try context.fetch(descriptor).map(\.name)
            #expect(pending == pending.sorted { collation.compare($0, $1) < 0 } && pending.count == names.count + 1)
            context.rollback()
        }
        let names = try context.fetch(Label.order { $0.name.ascending.comparing(.localizedStandard) }).map(\.name)
        #expect(names.firstIndex(of: "B9") ?? 9 < names.firstIndex(of: "b10") ?? 0)
    }

    // MARK: Errors

    private func expectUnsupported<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ construct: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let context = try memoryContext()
        func check(_ body: () throws -> Void) {
            let error = #expect(throws: FetchError.self, sourceLocation: sourceLocation) { try body() }
            guard case .unsupportedPredicate(let entity, _, _, let hint) = error else {
                Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
                return
            }
            #expect(entity == Model._ashlarEntity.name, sourceLocation: sourceLocation)
            #expect(
                error?.description.contains(construct) == true, "\(error?.description ?? "")",
                sourceLocation: sourceLocation)
            #expect(hint != nil, sourceLocation: sourceLocation)
        }
        check { _ = try context.fetch(descriptor) }
        // A count ignores the order.
        if descriptor.sortBy.isEmpty { check { _ = try context.fetchCount(descriptor) } }
        check { _ = try context.fetchIdentifiers(descriptor) }
        check { _ = try context.fetch(descriptor.limit(1).where { _ in Condition(.alwaysTrue) }) }
        context.insert(Sample())
        check { _ = try context.fetch(descriptor) }
    }

    @Test func unsupported() throws {
        let address = PostalAddress(street: "s")
        try expectUnsupported(FetchDescriptor(predicate: #Predicate<Sample> { $0.place == address }), "'place'")
        try expectUnsupported(
            FetchDescriptor(predicate: #Predicate<Sample> { $0.shout == "A" }), "a property of Sample that is String")
        try expectUnsupported(
            FetchDescriptor(predicate: #Predicate<Everything> { $0.scratch == "A" }), "a property of Everything")
        try expectUnsupported(
            FetchDescriptor(predicate: #Predicate<Sample> { $0.bytes?.count == 1 }), "a property of Data that is Int")
        try expectUnsupported(
            FetchDescriptor(predicate: #Predicate<Sample> { $0.children.first?.count == 1 }), "children")
        try expectUnsupported(
            FetchDescriptor(predicate: #Predicate<Sample> { $0.name.first != nil }), "a property of String")
        let bound = 3
        try expectUnsupported(
            FetchDescriptor(predicate: #Predicate<Playlist> { $0.songs[0..<bound].isEmpty }), "collection[range]")
        let other = Address(street: "a", numbers: [])
        try expectUnsupported(FetchDescriptor(predicate: #Predicate<Everything> { $0.address == other }), "address")
        try expectUnsupported(
            FetchDescriptor(sortBy: [SortDescriptor(\Sample.shout)]), "a sort key, a property of Sample")
        try expectUnsupported(FetchDescriptor(sortBy: [SortDescriptor(\Sample.parent?.name)]), "order { $0.author.name")
    }

    @Test func formsOfOneCondition() throws {
        let predicate = #Predicate<Sample> { $0.count > 1 }
        var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.count, order: .reverse)])
        #expect(descriptor.predicate != nil && descriptor.sortBy.count == 1)
        #expect(descriptor == Sample.where { $0.count > 1 }.order { $0.count.descending })
        descriptor.condition = nil
        descriptor.sortOrders = []
        #expect(descriptor.predicate == nil && descriptor.sortBy.isEmpty && descriptor == Sample.all)
        descriptor.predicate = predicate
        descriptor = descriptor.where { $0.flag.isTrue }
        #expect(descriptor.predicate == nil && descriptor == Sample.where { $0.count > 1 && $0.flag.isTrue })
    }

    /// A predicate uses the same index as the equivalent closure.
    @Test func indexes() throws {
        let context = try memoryContext()
        let predicate = #Predicate<Sample> { $0.title == "a" }
        let plan = try context.queryPlan(of: FetchDescriptor(predicate: predicate))
        #expect(plan.contains { $0.hasPrefix("SEARCH") && $0.contains("byTitle") }, "\(plan)")
    }
}

extension Sample {
    /// A property that the program computes from an attribute.
    var shout: String { name.uppercased() }
}
