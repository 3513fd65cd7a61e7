import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Results that are loaded in batches, and queries that need no objects.
@Suite struct BatchTests {
    let context: ModelContext

    init() throws {
        let container = try memoryContainer()
        let writer = ModelContext(container)
        for index in 0..<1000 {
            let sample = Sample(name: "n\(index % 10)")
            sample.count = Int64(index)
            writer.insert(sample)
        }
        try writer.save()
        context = ModelContext(container)
    }

    @Test func existenceAndFirst() throws {
        #expect(try context.exists(Sample.where { $0.count == 999 }))
        #expect(try !context.exists(Sample.where { $0.count == 1000 }))
        #expect(try !context.exists(Sample.all.offset(1000)) && context.exists(Sample.all.offset(999)))
        #expect(try !context.exists(Sample.all.limit(0)))
        #expect(try context.fetchFirst(Sample.order { $0.count.descending })?.count == 999)
        #expect(try context.fetchFirst(Sample.where { $0.count < 0 }) == nil)
        let new = Sample(name: "new")
        new.count = 1000
        context.insert(new)
        #expect(try context.exists(Sample.where { $0.count == 1000 }))
        #expect(try ModelContext(parent: context).exists(Sample.where { $0.count == 1000 }))
        #expect(try !ModelContext(context.container).exists(Sample.where { $0.count == 1000 }))
    }

    @Test("row 93: batches are loaded as they are reached") func batchesAreLoadedAsTheyAreReached() throws {
        let results = try context.fetch(Sample.order { $0.count.descending }, batchSize: 100)
        #expect(results.count == 1000 && context.statementCount == 1)
        #expect(results[0]?.count == 999 && results[99]?.count == 900 && context.statementCount == 2)
        #expect(results[950]?.count == 49 && results[0]?.count == 999 && context.statementCount == 3)
        #expect(results.map { $0?.count } == (0..<1000).reversed().map { Int64($0) })
        #expect(try context.fetch(Sample.all.limit(3), batchSize: 2).count == 3)
        #expect(throws: FetchError.invalidBatchSize(0)) { try context.fetch(Sample.all, batchSize: 0) }
    }

    @Test func batchesKnowOfChanges() throws {
        let inserted = Sample(name: "new")
        inserted.count = -1
        context.insert(inserted)
        let results = try context.fetch(Sample.order { $0.count.ascending }, batchSize: 10)
        try context.save()
        #expect(results.count == 1001 && results[0] === inserted)
        let other = ModelContext(context.container)
        other.delete(try #require(try other.fetchFirst(Sample.where { $0.count == 500 })))
        try other.save()
        #expect(results[501] == nil && results[502]?.count == 501)
        let object = try #require(results[502])
        context.delete(object)
        #expect(results[502] == nil)
    }

    @Test("row 105: enumeration keeps few objects", arguments: [false, true])
    func enumerationKeepsFewObjects(_ isOrdered: Bool) throws {
        let descriptor = isOrdered ? Sample.order { $0.count.ascending } : Sample.where { $0.count >= 0 }
        var sum: Int64 = 0
        var most = 0
        let map = context.registry.map(for: Sample._ashlarEntity.number.root)
        for _ in 0..<10 {
            try context.enumerate(descriptor, batchSize: 50) { sample in
                sum += sample.count
                most = max(most, map.count)
            }
        }
        #expect(sum == 10 * 499_500)
        // The map releases objects when their number has doubled since the last sweep, from 512 on.
        #expect(most < 1100)
        var values: Int64 = 0
        try context.enumerateValues(descriptor, batchSize: 7) { values += $0.count }
        #expect(values == 499_500)
    }

    @Test func enumerationSeesToChanges() throws {
        #expect(throws: FetchError.changedWhileEnumerating(entity: "Sample")) {
            try context.enumerate(Sample.all, batchSize: 10) { $0.title = "changed" }
        }
        context.rollback()
        try context.enumerate(Sample.all, batchSize: 300, allowEscapingMutations: true) { $0.title = "changed" }
        #expect(context.changedModelsArray.count == 1000)
        context.rollback()
        var count = 0
        // The enumeration does not reach new rows, so it ends.
        try context.enumerate(Sample.all, batchSize: 100) { _ in
            count += 1
            context.insert(Sample(name: "more"))
            try context.save()
        }
        #expect(count == 1000)
        let pending = Sample(name: "pending")
        context.insert(pending)
        var names: Set<String> = []
        try context.enumerate(Sample.all) { names.insert($0.name) }
        #expect(names.contains("pending") && names.contains("more"))
        #expect(throws: FetchError.invalidBatchSize(-1)) { try context.enumerate(Sample.all, batchSize: -1) { _ in } }
    }

    @Test func relationshipsAreFetchedAlong() throws {
        let writer = ModelContext(context.container)
        let samples = try writer.fetch(Sample.where { $0.count < 40 })
        let homes = ["x", "y"].map { Label(name: $0) }
        for (index, sample) in samples.enumerated() {
            sample.home = homes[index % 2]
            if index >= 20 { sample.parent = samples[index - 20] }
        }
        try writer.save()
        let descriptor = Sample.where { $0.count < 40 }
        for isPrefetched in [false, true] {
            let context = ModelContext(context.container)
            let request = isPrefetched ? descriptor.prefetch { $0.home }.prefetch { $0.children } : descriptor
            let found = try context.fetch(request)
            #expect(context.statementCount == (isPrefetched ? 3 : 1))
            #expect(found.count { $0.home?.name == "x" } == 20)
            #expect(found.reduce(0) { $0 + $1.children.count } == 20)
            // From the second object on, one load serves all objects of a fetch: each loop costs one more statement.
            #expect(context.statementCount == (isPrefetched ? 3 : 5))
        }
        let context = ModelContext(context.container)
        let leaf = try context.fetch(Sample.where { $0.count == 39 }.prefetch { $0.parent.home })
        #expect(context.statementCount == 3 && leaf[0].parent?.home?.name == "y" && context.statementCount == 3)
        let child = ModelContext(parent: context)
        #expect(try child.fetch(descriptor.prefetch { $0.children }).reduce(0) { $0 + $1.children.count } == 20)
    }
}
