import AshlarSQLite
import Foundation
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Batch insertions: values, rules, unique values and relationships.
@Suite struct BatchInsertTests {
    @Test("rows 144, 145: values of a sequence are inserted")
    func valuesOfASequenceAreInserted() throws {
        let context = try memoryContext()
        context.insert(Label(name: "before"))
        try context.save()
        context.statementCount = 0
        let values = (0..<1000).lazy.map { Label.Values(name: "label \($0)") }
        #expect(try context.batchInsert(contentsOf: values) == 1000)
        #expect(context.statementCount < 60)
        let labels = try context.fetch(Label.order { $0.name.ascending })
        #expect(labels.count == 1001 && Set(labels.map(\.name)).count == 1001)
        let options = BatchOptions(resultType: .identifiers)
        let result = try context.batchInsert(
            contentsOf: [Label.Values(name: "x"), Label.Values(name: "y")], options: options)
        let names: [String] = try (result.identifiers ?? []).map { identifier in
            let label: Label = try context.model(for: identifier)
            return label.name
        }
        #expect(names == ["x", "y"] && result.count == 2)
        // A later save continues after the row IDs that the batch used.
        let label = Label(name: "after")
        context.insert(label)
        try context.save()
        #expect(label.persistentModelID.rowID == 1004)
        #expect(try context.batchInsert(contentsOf: EmptyCollection<Label.Values>()) == 0)
    }

    @Test("row 144: every kind of value comes back as it was", arguments: seeds())
    func everyKindOfValueComesBack(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let context = try memoryContext()
        let labels = ["a", "b"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        try context.save()
        let samples = (0..<70).map { _ in Sample() }
        let source = ModelContext(context.container)
        let sourceLabels = try source.fetch(Label.order { $0.name.ascending })
        for sample in samples { source.insert(sample) }
        for sample in samples { random.change(sample, among: [], sourceLabels) }
        let values = samples.map(\.values)
        #expect(try context.batchInsert(contentsOf: values) == 70)
        let stored = try context.fetch(Sample.all).sorted { $0.persistentModelID < $1.persistentModelID }
        let expected = try ModelContext(context.container).fetchValues(Sample.all)
        #expect(stored.map(\.values) == expected)
        for (sample, value) in zip(stored, values) {
            // NaN is stored as nil, as in a save.
            #expect(
                sample.values == value || value.weight?.isNaN == true || value.latitude.isNaN, "seed \(seed)")
        }
    }

    @Test func everyTypeIsInserted() throws {
        let context = try memoryContext()
        let everything = Everything(
            address: Address(street: "s", numbers: [1]), binary: Data([0, 255]), boolean: true,
            date: Date(timeIntervalSinceReferenceDate: 0.1), decimal: 1.5, double: .pi, float: 2.5,
            integer16: .min, integer32: .max, integer64: .min, level: .low,
            mood: .calm, palette: [], string: "\0ß", uri: URL(fileURLWithPath: "/"),
            uuid: UUID())
        let values = (0..<50 as Range<Int32>).map { number in
            var values = everything.values
            values.optionalInteger32 = number
            values.optionalString = number.isMultiple(of: 2) ? "\(number)" : nil
            return values
        }
        try context.batchInsert(contentsOf: values)
        #expect(try context.fetchValues(Everything.order { $0.optionalInteger32.ascending }) == values)
    }

    @Test func defaultsAndEntitiesBelowAreInserted() throws {
        let context = try memoryContext()
        try context.batchInsert(contentsOf: (0..<40).map { Truck.Values(name: "t\($0)", load: 2) })
        try context.batchInsert(contentsOf: [Car.Values(name: "c")])
        try context.batchInsert(contentsOf: [Boat.Values(name: "b")])
        #expect(try context.fetchCount(Vehicle.all) == 42 && context.fetchCount(Car.all) == 41)
        let truck = try #require(try context.fetch(Truck.where { $0.name == "t39" }).first)
        let made = Truck(name: "t39", load: 2)
        #expect(truck.wheels == made.wheels && truck.doors == made.doors && truck.load == 2)
        #expect(throws: BatchError.self) { try context.batchInsert(contentsOf: [Vehicle.Values(name: "v")]) }
        let studio = try studioContext()
        #expect(throws: BatchError.self) { try studio.batchInsert(contentsOf: [Label.Values(name: "l")]) }
    }

    @Test("row 126: rules hold for batch insertions")
    func rulesHoldForBatchInsertions() throws {
        let context = try studioContext()
        var products = (0..<100).map { Product.Values(name: "p\($0)") }
        products[77].stock = 101
        #expect {
            try context.batchInsert(contentsOf: products)
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.row == 77 && failure.property == "stock" && failure.rule == .aboveMaximum(.integer(100))
                && "\(error)" == "Nothing was changed: Product.stock of row 77 is 101, more than 100."
        }
        #expect(try context.fetchCount(Product.all) == 0)
        products[77].stock = 100
        #expect(try context.batchInsert(contentsOf: products) == 100)
        let torture = try memoryContext()
        #expect {
            try torture.batchInsert(contentsOf: [Passport.Values(number: "1")])
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.rule == .missingRequiredValue && failure.property == "person"
        }
    }

    @Test func relationshipsMustLeadSomewhere() throws {
        let context = try memoryContext()
        let person = Person(name: "p")
        context.insert(person)
        func refusal(_ identifier: PersistentIdentifier) -> String? {
            do {
                let values = (0..<40).map { Car.Values(name: "\($0)", driver: $0 == 35 ? identifier : nil) }
                try context.batchInsert(contentsOf: values)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(refusal(person.persistentModelID)?.contains("value of row 35 of Car cannot be stored") == true)
        try context.save()
        let label = Label(name: "l")
        context.insert(label)
        try context.save()
        #expect(refusal(label.persistentModelID)?.contains("another entity") == true)
        let other = try memoryContext()
        let stranger = Person(name: "s")
        other.insert(stranger)
        try other.save()
        #expect(refusal(stranger.persistentModelID)?.contains("another store") == true)
        let gone = Person(name: "g")
        context.insert(gone)
        try context.save()
        let identifier = gone.persistentModelID
        context.delete(gone)
        try context.save()
        #expect(refusal(identifier)?.contains("driver") == true)
        #expect(try context.fetchCount(Car.all) == 0)
        #expect(refusal(person.persistentModelID) == nil && person.vehicles.map(\.name) == ["35"])
        // A one-to-one relationship, from both ends.
        let chassis = Chassis(name: "c", engine: Engine(name: "e"))
        context.insert(chassis)
        try context.save()
        #expect {
            try context.batchInsert(contentsOf: [Engine.Values(name: "f", chassis: chassis.persistentModelID)])
        } throws: { error in
            guard case BatchError.sharedReference = error else { return false }
            return true
        }
        try context.container.expectSound()
    }

    @Test func orderedMembersComeLast() throws {
        let context = try memoryContext()
        let lists = [Playlist(name: "a"), Playlist(name: "b")]
        for list in lists { context.insert(list) }
        lists[0].tracks = ToMany([Track(name: "x"), Track(name: "y")])
        try context.save()
        let identifiers = lists.map(\.persistentModelID)
        try context.batchInsert(
            contentsOf: (0..<6).map { Track.Values(name: "\($0)", playlist: $0 == 5 ? nil : identifiers[$0 % 2]) })
        #expect(lists[0].tracks.map(\.name) == ["x", "y", "0", "2", "4"] && lists[1].tracks.map(\.name) == ["1", "3"])
        lists[0].tracks.move(lists[0].tracks[4], to: 0)
        try context.save()
        let other = ModelContext(context.container)
        let stored = try other.fetch(Playlist.order { $0.name.ascending })
        #expect(stored.map { $0.tracks.map(\.name) } == [["4", "x", "y", "0", "2"], ["1", "3"]])
    }

    // MARK: Unique values

    private func articles(_ context: ModelContext) throws -> [String] {
        try context.fetched(Article.self).map { "\($0.slug ?? "-") \($0.title) \($0.likes) \($0.record.version)" }
            .sorted()
    }

    /// The batch inserts with OR FAIL, and so do triggers: if one fails, SQLite keeps the row that fired it, but this row
    /// must not count as inserted.
    @Test func aFailureOfTheHistoryRefusesAll() throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: TortureModel.self,
            configurations: ModelConfiguration(url: folder.file(), options: StoreOptions(historyTracking: true)))
        try container.pool.write {
            try $0.execute(
                """
                CREATE TRIGGER "ashlar$history$none" AFTER INSERT ON "Sample" BEGIN
                    INSERT INTO "ashlar$historyEntity" SELECT * FROM "ashlar$historyEntity" WHERE NEW."count" = 70;
                END
                """)
        }
        let context = ModelContext(container)
        let rows = (0..<100).map { Sample.Values(count: Int64($0), name: "\($0)") }
        #expect(throws: BatchError.self) { try context.batchInsert(contentsOf: rows) }
        #expect(try context.fetchCount(Sample.all) == 0)
        for row in rows { context.insert(Sample(count: row.count, name: row.name)) }
        #expect(throws: SaveError.self) { try context.save() }
        #expect(try ModelContext(container).fetchCount(Sample.all) == 0)
    }

    @Test(arguments: [false, true], [0, 31, 32, 77, 99])
    func theRefusedOneOfManyIsNamed(_ hasTrigger: Bool, _ position: Int) throws {
        let context = try studioContext()
        if hasTrigger {
            try context.container.pool.write {
                try $0.execute("CREATE TRIGGER mine AFTER INSERT ON Article BEGIN SELECT 1; END")
            }
        }
        try context.batchInsert(contentsOf: [Article.Values(slug: "taken", title: "first")])
        let rows = (0..<100).map { Article.Values(slug: $0 == position ? "taken" : "\($0)", title: "\($0)") }
        #expect {
            try context.batchInsert(contentsOf: rows)
        } throws: { error in
            guard case BatchError.notUnique("Article", ["slug"], position) = error else { return false }
            return true
        }
        #expect(try context.fetchValues(Article.all).map(\.title) == ["first"])
        try context.container.expectSound()
    }

    @Test("rows 132, 146: a batch insertion changes rows with the same unique values")
    func aBatchInsertionChangesRowsWithTheSameUniqueValues() throws {
        let context = try studioContext()
        let article = Article(likes: 5, slug: "a", title: "old")
        let topic = Topic(name: "t")
        context.insert(article)
        article.topics = ToMany([topic])
        try context.save()
        let identifier = article.persistentModelID
        let rows = ["a", "b", "a", nil, nil].enumerated().map {
            Article.Values(slug: $0.element, title: "new \($0.offset)")
        }
        #expect {
            try context.batchInsert(contentsOf: rows)
        } throws: { error in
            guard case BatchError.notUnique("Article", ["slug"], 0) = error else { return false }
            return true
        }
        #expect {
            try context.batchInsert(contentsOf: rows.dropFirst())
        } throws: { error in
            // The first of these rows takes the slug of the third.
            guard case BatchError.notUnique("Article", ["slug"], 1) = error else { return false }
            return true
        }
        #expect(try articles(context) == ["a old 5 1"])
        #expect(try context.batchInsert(contentsOf: rows, onConflict: .ignore) == 3)
        #expect(try articles(context) == ["- new 3 0 1", "- new 4 0 1", "a old 5 1", "b new 1 0 1"])
        // Two of the three rows change the same object.
        #expect(try context.batchInsert(contentsOf: rows.prefix(3), onConflict: .update) == 2)
        #expect(article.title == "new 2" && article.likes == 0 && article.topics.map(\.name) == ["t"])
        #expect(try articles(context) == ["- new 3 0 1", "- new 4 0 1", "a new 2 0 3", "b new 1 0 2"])
        var liked = rows[0]
        liked.likes = 9
        let policy = BatchConflictPolicy.update(uniqueBy: ["slug"], setting: ["likes"])
        let options = BatchOptions(resultType: .identifiers)
        #expect(
            try context.batchInsert(contentsOf: [liked], onConflict: policy, options: options).identifiers == [
                identifier
            ])
        #expect(article.title == "new 2" && article.likes == 9)
        #expect(throws: BatchError.self) {
            try context.batchInsert(contentsOf: rows, onConflict: .update(uniqueBy: ["title"]))
        }
        #expect(throws: BatchError.self) {
            try context.batchInsert(contentsOf: rows, onConflict: .update(uniqueBy: ["slug"], setting: ["topics"]))
        }
        // A row of one entity cannot become a row of another.
        #expect(throws: BatchError.self) {
            try context.batchInsert(contentsOf: [ColumnArticle.Values(slug: "a", title: "c")], onConflict: .update)
        }
        try context.container.expectSound()
    }

    @Test("row 146: an object that several rows change counts once", arguments: [nil, 1, 3, 7, 1000])
    func anObjectCountsOnce(_ chunkSize: Int?) throws {
        let context = try studioContext()
        func row(_ slug: String, _ title: String) -> Article.Values { Article.Values(slug: slug, title: title) }
        try context.batchInsert(contentsOf: (0..<5).map { row("\($0)", "old") })
        // Slugs of existing rows, new slugs, and each of them again.
        let slugs = (0..<40).map { "\($0)" } + (0..<40).map { "\($0)" } + ["0", "39", "40"]
        let options = BatchOptions(resultType: .identifiers, chunkSize: chunkSize)
        let rows = slugs.enumerated().map { row($0.element, "\($0.offset)") }
        let policy = BatchConflictPolicy.update(uniqueBy: ["slug"])
        let result = try context.batchInsert(contentsOf: rows, onConflict: policy, options: options)
        #expect(result.count == 41 && result.identifiers?.count == 41 && Set(result.identifiers ?? []).count == 41)
        let counted = try context.batchInsert(
            contentsOf: rows, onConflict: policy, options: BatchOptions(chunkSize: chunkSize))
        #expect(counted.count == 41 && counted.identifiers == nil)
        #expect(try context.fetchCount(Article.all) == 41)
        let first = try #require(try context.fetch(Article.where { $0.slug == "0" }).first)
        #expect(first.title == "80")
    }

    @Test func constraintsOfSeveralPropertiesAreKept() throws {
        let context = try studioContext()
        let rows = [("a", "x"), ("a", "y"), ("a", nil), ("a", nil), ("a", "x")].map {
            Writer.Values(city: $0.1, name: $0.0)
        }
        // The last row changes the first one, which is already counted.
        #expect(try context.batchInsert(contentsOf: rows, onConflict: .update(uniqueBy: ["city", "name"])) == 4)
        #expect(try context.fetchCount(Writer.all) == 4)
        let account = try memoryContext()
        func values(_ email: String, _ number: Int64, _ nickname: String) -> Account.Values {
            Account.Values(balance: 1, bank: "b", email: email, nickname: nickname, number: number)
        }
        try account.batchInsert(contentsOf: [values("a", 1, "n"), values("b", 2, "m")])
        // The row updates by one constraint and violates another.
        #expect {
            try account.batchInsert(contentsOf: [values("a", 2, "o")], onConflict: .update(uniqueBy: ["email"]))
        } throws: { error in
            guard case BatchError.notUnique("Account", _, 0) = error else { return false }
            return true
        }
        #expect(throws: BatchError.self) {
            try account.batchInsert(contentsOf: [values("z", 9, "n")], onConflict: .update(uniqueBy: ["email"]))
        }
        let count = try account.batchInsert(
            contentsOf: [values("a", 7, "p")], onConflict: .update(uniqueBy: ["email"]))
        #expect(count == 1)
        #expect(try account.fetched(Account.self).map(\.number).sorted() == [2, 7])
    }

    @Test func valuesWithoutBytesAreErrorsOfTheirRow() throws {
        let context = ModelContext(try memoryContainer(AtticModel.self))
        let items = (0..<40).map { Item.Values(counts: [Int64($0)], name: "\($0)") }
        #expect(try context.batchInsert(contentsOf: items) == 40)
        let trucks = (0..<40).map { Truck.Values(name: "\($0)", load: $0 == 33 ? .nan : 1) }
        let torture = try memoryContext()
        #expect {
            try torture.batchInsert(contentsOf: trucks)
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.entity == "Truck" && failure.property == "load" && failure.rule == .notANumber
                && failure.row == 33
        }
        #expect(try torture.fetchCount(Truck.all) == 0)
    }

    @Test func largeValuesGetFilesAndThoseThatAreReplacedLoseTheirs() throws {
        let folder = try TemporaryFolder()
        let context = ModelContext(try ModelContainer(for: AtticModel.self, at: folder.file()))
        let large = Data(repeating: 5, count: 150_000)
        func files() throws -> Int { try ExternalDataFolder(storePath: folder.file().path).names().count }
        try context.batchInsert(contentsOf: (0..<3).map { Box.Values(label: $0 == 1 ? Data([1]) : large) })
        #expect(try files() == 2)
        var options = BatchOptions()
        options.progress = { _ in throw CancellationError() }
        #expect(throws: CancellationError.self) {
            let boxes = (0..<10_001).lazy.map { Box.Values(label: $0 < 3 ? large : Data()) }
            try context.batchInsert(contentsOf: boxes, options: options)
        }
        #expect(try files() == 2 && context.fetchCount(Box.all) == 3)
    }
}
