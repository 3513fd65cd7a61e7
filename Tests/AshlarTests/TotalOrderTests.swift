import Ashlar
import Foundation
import Testing

/// One order decides fetches, windows, pages, live results and batches, with unsaved changes and without.
@Suite struct TotalOrderTests {
    private let context: ModelContext
    private var samples: [Sample] = []

    /// Ten samples that are equal in all attributes. Two of them have a changed attribute that no order uses, and two
    /// are not saved.
    init() throws {
        context = try memoryContext()
        for _ in 0..<10 {
            let sample = Sample()
            sample.title = "same"
            samples.append(sample)
        }
        for sample in samples[..<8] { context.insert(sample) }
        try context.save()
        for sample in samples[8...] { context.insert(sample) }
        samples[1].weight = 1
        samples[4].weight = 1
    }

    /// Expects the same order from all ways to get the objects.
    private func expect(
        _ expected: [Sample], _ descriptor: FetchDescriptor<Sample>, _ context: ModelContext, _ comment: Testing.Comment
    ) throws {
        #expect(try context.fetch(descriptor) == expected, comment)
        #expect(try context.fetchIdentifiers(descriptor) == expected.map(\.persistentModelID), comment)
        #expect(
            try context.fetch(descriptor, batchSize: 3).map { $0?.persistentModelID }
                == expected.map(\.persistentModelID), comment)
        var enumerated: [Sample] = []
        try context.enumerate(descriptor, batchSize: 4) { enumerated.append($0) }
        #expect(enumerated == expected, comment)
        var windows: [Sample] = []
        for offset in stride(from: 0, to: 12, by: 3) {
            windows += try context.fetch(descriptor.limit(3).offset(offset))
        }
        #expect(windows == expected, comment)
        var pages: [Sample] = []
        var page = try context.fetch(descriptor.limit(3).page(after: nil))
        while !page.isEmpty, pages.count < 20 {
            pages += page
            page = try context.fetch(descriptor.limit(3).page(after: page.last))
        }
        #expect(pages == expected, comment)
        let results = FetchedResultsController(descriptor, in: context)
        try results.performFetch()
        #expect(results.fetchedObjects == expected, comment)
        let identifiers: [PersistentIdentifier?] = try context.fetch(descriptor.select { $0.persistentModelID })
        #expect(identifiers == expected.map(\.persistentModelID), comment)
    }

    @Test func objectsThatAreEqualFollowByIdentifierInTheDirectionOfTheLastOrder() throws {
        let ascending: [FetchDescriptor<Sample>] = [
            Sample.all, Sample.order { $0.count }, Sample.order { $0.title.ascending },
            Sample.order { $0.title.descending }.order { $0.count.ascending },
            Sample.order { $0.title.ascending.comparing(.localizedStandard) },
        ]
        let descending: [FetchDescriptor<Sample>] = [
            Sample.order { $0.count.descending }, Sample.order { $0.title.descending },
            Sample.order { $0.count.ascending }.order { $0.title.descending },
            Sample.order { $0.title.descending.comparing(.localized) },
        ]
        let results = try [Sample.order { $0.title.ascending }, Sample.order { $0.title.descending }].map {
            let results = FetchedResultsController($0, in: context)
            try results.performFetch()
            return results
        }
        for round in ["unsaved", "saved", "changed"] {
            for (index, descriptor) in ascending.enumerated() {
                try expect(samples, descriptor, context, "\(round), ascending \(index)")
            }
            for (index, descriptor) in descending.enumerated() {
                try expect(samples.reversed(), descriptor, context, "\(round), descending \(index)")
            }
            if round == "unsaved" { try context.save() } else { samples[6].weight = 2 }
            context.processPendingChanges()
            #expect(results[0].fetchedObjects == samples && results[1].fetchedObjects == samples.reversed())
        }
    }

    @Test func liveResultsPutNewObjectsWhereAFetchHasThem() throws {
        let newest = Sample.order { $0.title.descending }
        let results = FetchedResultsController(newest, in: context)
        try results.performFetch()
        let sample = Sample()
        sample.title = "same"
        context.insert(sample)
        samples[3].weight = 7
        for _ in 0..<2 {
            context.processPendingChanges()
            #expect(try results.fetchedObjects == context.fetch(newest))
            #expect(results.fetchedObjects.first === sample)
            try context.save()
        }
    }

    /// The index has the greatest ranks first, and equal ranks by ascending identifier.
    @Test func anIndexWithDescendingAttributesDecides() throws {
        let context = ModelContext(try memoryContainer(AtlasModel.self))
        let sites = (0..<6).map { Site(name: "\($0)") }
        for site in sites[..<4] { context.insert(site) }
        try context.save()
        for site in sites[4...] { context.insert(site) }
        sites[2].visits = 1
        for _ in 0..<2 {
            for (isDescending, expected) in [(true, sites), (false, Array(sites.reversed()))] {
                let descriptor = Site.order { isDescending ? $0.rank.descending : $0.rank.ascending }
                #expect(try context.fetch(descriptor) == expected)
                let first = try context.fetch(descriptor.limit(3).page(after: nil))
                let second = try context.fetch(descriptor.limit(3).page(after: first.last))
                #expect(first + second == expected)
                let results = FetchedResultsController(descriptor, in: context)
                try results.performFetch()
                #expect(results.fetchedObjects == expected)
            }
            try context.save()
        }
    }

    @Test func aBatchTakesTheFirstOfEqualRows() throws {
        try context.save()
        #expect(try context.batchDelete(Sample.order { $0.title.descending }.limit(2)) == 2)
        #expect(try context.batchDelete(Sample.order { $0.count.ascending }.limit(1)) == 1)
        #expect(try context.fetch(Sample.order { $0.count }) == Array(samples[1..<8]))
    }

    @Test func equalGroupsAndDistinctRowsFollowByTheirValues() throws {
        for (index, title) in ["c", "a", "b", "a", "c"].enumerated() { samples[index].title = title }
        for _ in 0..<2 {
            let groups: [String?] = try context.fetch(
                Sample.where { $0.title != "same" }.group { $0.title }.order {
                    .ascending(Column<Int64?>.maximum($0.count))
                }
                .select { $0.title })
            #expect(groups == ["a", "b", "c"])
            let plain: [String?] = try context.fetch(Sample.group { $0.title }.select { $0.title })
            #expect(plain == ["a", "b", "c", "same"])
            let distinct: [(Int64, String?)] = try context.fetch(
                Sample.order { $0.count.descending }.select { ($0.count, $0.title) }.distinct())
            #expect(distinct.map(\.1) == ["a", "b", "c", "same"])
            try context.save()
        }
    }

    // MARK: Sections

    /// The composed and the decomposed "é" are equal in Swift. The store distinguishes them, and has other texts
    /// between them.
    @Test func sectionsAreToldApartAsGroups() throws {
        let names = ["cafe\u{301}", "caff", "caf\u{e9}"]
        for (index, sample) in samples.enumerated() { sample.name = names[index % 3] }
        for _ in 0..<2 {
            let results = FetchedResultsController(Sample.order { $0.name }, in: context) { $0.name }
            try results.performFetch()
            let groups: [(String, Int)] = try context.fetch(Sample.group { $0.name }.select { ($0.name, .count) })
            #expect(results.sections.map { Array($0.name?.utf8 ?? "".utf8) } == groups.map { Array($0.0.utf8) })
            #expect(results.sections.map(\.count) == groups.map(\.1) && groups.count == 3)
            samples[0].name = "caf\u{e9}"
            context.processPendingChanges()
            #expect(results.sections.map(\.count) == [3, 3, 4])
            samples[0].name = names[0]
            context.processPendingChanges()
            #expect(results.sections.map(\.count) == groups.map(\.1))
            try context.save()
        }
        let localized = Sample.order { $0.name.ascending.comparing(.localizedStandard) }
        let results = FetchedResultsController(localized, in: context) { $0.name }
        try results.performFetch()
        #expect(results.count == 10)
    }

    // MARK: Collations

    private static let titles = [
        "a", "B", "é", "c", "D", "e", "Z", "z", "item 10", "item 9", "Item 9", "", "á", "a", "B",
    ]

    @Test(arguments: TextCollation.allCases, [true, false])
    func pagesFollowTheCollation(_ collation: TextCollation, isAscending: Bool) throws {
        let context = try memoryContext()
        var samples: [Sample] = []
        for index in 0..<60 {
            let sample = Sample()
            sample.title = Self.titles[index % Self.titles.count]
            sample.small = index % 7 == 0 ? nil : Int16(index % 3)
            samples.append(sample)
            context.insert(sample)
        }
        let order: (Columns<Sample>) -> ColumnOrder = {
            (isAscending ? $0.title.ascending : $0.title.descending).comparing(collation)
        }
        let descriptors = [
            Sample.order(order), Sample.order { $0.small.ascending }.order(order),
            Sample.order(order).order { $0.small.descending },
            FetchDescriptor<Sample>(
                sortBy: [
                    SortDescriptor(\.title, comparator: .localizedStandard, order: isAscending ? .forward : .reverse)
                ]),
        ]
        for _ in 0..<2 {
            for descriptor in descriptors {
                let whole = try context.fetch(descriptor)
                var pages: [Sample] = []
                var page = try context.fetch(descriptor.limit(7).page(after: nil))
                while !page.isEmpty, pages.count < 100 {
                    pages += page
                    page = try context.fetch(descriptor.limit(7).page(after: page.last))
                }
                #expect(pages == whole && whole.count == 60)
            }
            try context.save()
            for index in [3, 20, 41] { samples[index].weight = 3 }
        }
    }
}
