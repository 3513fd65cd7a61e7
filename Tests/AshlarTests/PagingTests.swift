import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Pages that begin where the last one ended.
@Suite struct PagingTests {
    /// All pages together contain each object once, with any order and unsaved changes.
    @Test(arguments: seeds())
    func pagesAreTheWhole(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let context = try memoryContext()
        let labels = ["a", "b"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        let samples = (0..<60).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { random.change(sample, among: samples, labels) }
        try context.save()
        for round in 0..<40 {
            if round % 2 == 1 { random.change(random.pick(samples), among: samples, labels) }
            var descriptor = Sample.all
            descriptor.sortOrders = random.orders(Sample._ashlarColumns)
            if random.random.oneIn(3) { descriptor.condition = Sample._ashlarColumns.flag.isTrue }
            let whole = try context.fetch(descriptor.page(after: nil))
            let limit = Int.random(in: 1...20, using: &random.random)
            var found: [Sample] = []
            var page = try context.fetch(descriptor.page(after: nil).limit(limit))
            while !page.isEmpty, found.count <= whole.count {
                found += page
                page = try context.fetch(descriptor.page(after: page.last).limit(limit))
            }
            let isWhole = try Set(found) == Set(context.fetch(descriptor))
            #expect(found == whole && isWhole, "seed \(seed), round \(round): \(descriptor.sortOrders)")
            if round % 4 == 3 { try context.save() }
        }
    }

    @Test func anIndexFindsThePage() throws {
        let context = try memoryContext()
        let sample = Sample()
        sample.title = "t"
        context.insert(sample)
        try context.save()
        let ascending = Sample.order { $0.title.ascending }.page(after: sample)
        let plan = try ascending.explain(in: context)
        #expect(plan.count == 1 && plan[0].contains("SEARCH Sample USING INDEX"), "\(plan)")
        let byRow = try Sample.all.page(after: sample).explain(in: context)
        #expect(byRow.count == 1 && byRow[0].contains("USING INTEGER PRIMARY KEY"), "\(byRow)")
        // No row is sorted, though the statement skips the earlier rows.
        let descending = try Sample.order { $0.title.descending }.page(after: sample).explain(in: context)
        #expect(descending.count == 1 && descending[0].contains("INDEX"), "\(descending)")
    }
}
