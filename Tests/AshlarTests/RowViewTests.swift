import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@_spi(Generated) @testable import Ashlar

/// Rows that are lent to a closure, compared with the values of the same fetch.
@Suite struct RowViewTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A context of a file, which has readers, or of a store in memory, whose only connection serves all operations.
    private func context(inMemory: Bool) throws -> ModelContext {
        try ModelContext(inMemory ? memoryContainer() : ModelContainer(for: TortureModel.self, at: folder.file()))
    }

    /// The values of a row as text, property by property.
    private func described(_ row: borrowing RowView<Sample.Values>) throws -> [String] {
        var result: [String] = []
        result.append("\(try row.count) \(try row.flag) \(try row.latitude) \(try row.longitude)")
        result.append("\(text(try row.name)) \(text(try row.title))")
        result.append("\(try row.day?.timeIntervalSinceReferenceDate, default: "nil") \(bytes(try row.bytes))")
        result.append("\(try row.link, default: "nil") \(try row.mood, default: "nil")")
        result.append("\(try row.price, default: "nil") \(try row.small, default: "nil")")
        result.append("\(try row.token, default: "nil") \(try row.weight, default: "nil")")
        result.append("\(try row.home, default: "nil") \(try row.parent, default: "nil")")
        // Composites. A part of a required composite is read by itself.
        result.append("\(try row.place, default: "nil") \(try row.spot)")
        result.append(
            "\(try row[dynamicMember: \.spot.latitude]) \(try row[dynamicMember: \.spot.altitude], default: "nil")")
        result.append("\(text(try row[dynamicMember: \.place?.street]))")
        result.append("\(try row[dynamicMember: \.place?.position?.latitude], default: "nil")")
        result.append("\(try row.isHeavy) \(text(try row.shortName))")
        return result
    }

    private func described(_ values: Sample.Values) -> [String] {
        var result: [String] = []
        result.append("\(values.count) \(values.flag) \(values.latitude) \(values.longitude)")
        result.append("\(Array(values.name.utf8)) \(values.title.map { "\(Array($0.utf8))" } ?? "nil")")
        result.append(
            "\(values.day?.timeIntervalSinceReferenceDate, default: "nil") \(values.bytes.map { "\(Array($0))" } ?? "nil")"
        )
        result.append("\(values.link, default: "nil") \(values.mood, default: "nil")")
        result.append("\(values.price, default: "nil") \(values.small, default: "nil")")
        result.append("\(values.token, default: "nil") \(values.weight, default: "nil")")
        result.append("\(values.home, default: "nil") \(values.parent, default: "nil")")
        result.append("\(values.place, default: "nil") \(values.spot)")
        result.append("\(values.spot.latitude) \(values.spot.altitude, default: "nil")")
        result.append("\((values.place?.street).map { "\(Array($0.utf8))" } ?? "nil")")
        result.append("\(values.place?.position?.latitude, default: "nil")")
        result.append("\(values.isHeavy) \(Array(values.shortName.utf8))")
        return result
    }

    private func text(_ span: UTF8Span) -> String { "\(Array(String(copying: span).utf8))" }

    private func text(_ span: UTF8Span?) -> String {
        guard let span else { return "nil" }
        return text(span)
    }

    private func bytes(_ span: RawSpan?) -> String {
        guard let span else { return "nil" }
        return "\(span.withUnsafeBytes { Array($0) })"
    }

    // MARK: The same rows

    @Test(arguments: seeds())
    func rowsAreThoseOfValues(_ seed: Seed) throws {
        for isInMemory in [false, true] {
            var random = RandomConditions(seed: seed.number)
            let context = try context(inMemory: isInMemory)
            let labels = ["", "a", "é"].map { Label(name: $0) }
            for label in labels { context.insert(label) }
            let samples = (0..<40).map { _ in Sample() }
            for sample in samples { context.insert(sample) }
            for sample in samples { random.change(sample, among: samples, labels) }
            try context.save()
            // Unsaved changes show in neither result.
            for _ in 0..<5 { random.change(random.pick(samples), among: samples, labels) }
            context.delete(samples[0])
            for _ in 0..<30 {
                var descriptor = FetchDescriptor<Sample>()
                if random.random.oneIn(2) {
                    descriptor.condition = random.condition(Sample._ashlarColumns, depth: 2, samples, labels)
                }
                if random.random.oneIn(2) {
                    descriptor = descriptor.order { $0.name.ascending }.order { $0.count.descending }
                }
                if random.random.oneIn(3) { descriptor.fetchLimit = Int.random(in: 0...20, using: &random.random) }
                if random.random.oneIn(3) { descriptor.fetchOffset = Int.random(in: 0...20, using: &random.random) }
                var lent: [[String]] = []
                var identifiers: [PersistentIdentifier] = []
                try context.forEachRow(descriptor) { row in
                    lent.append(try described(row))
                    identifiers.append(row.identifier)
                }
                #expect(try lent == context.fetchValues(descriptor).map { described($0) }, "seed \(seed)")
                // Without a specified order, another statement may find the rows in another one.
                if descriptor.fetchLimit != nil || descriptor.fetchOffset != nil { continue }
                descriptor.includePendingChanges = false
                #expect(try Set(identifiers) == Set(context.fetchIdentifiers(descriptor)), "seed \(seed)")
                #expect(Set(identifiers).count == identifiers.count, "seed \(seed)")
            }
        }
    }

    @Test func classesOfAHierarchyHaveTheirOwnProperties() throws {
        let context = try context(inMemory: false)
        for index in 0..<4 {
            let car = Car(name: "car \(index)")
            car.doors = Int16(index)
            context.insert(car)
        }
        context.insert(Boat(name: "boat"))
        try context.save()
        var doors: [Int16] = []
        try context.forEachRow(Car.all, as: Car.Values.self) { row in doors.append(try row.doors) }
        #expect(try doors == context.fetchValues(Car.all).map(\.doors))
        var names: [String] = []
        try context.forEachRow(Vehicle.all) { row in names.append(String(copying: try row.name)) }
        #expect(names == ["car 0", "car 1", "car 2", "car 3", "boat"])
    }

    // MARK: Invalid values and errors

    @Test func textThatIsNoUTF8IsRepaired() throws {
        let context = try context(inMemory: false)
        for name in ["aä", "short", "a longer text of ASCII alone"] { context.insert(Sample(name: name)) }
        try context.save()
        try context.container.execute(
            "UPDATE Sample SET name = CAST(X'61FF62' AS TEXT), title = CAST(X'C328' AS TEXT) WHERE name = 'short'")
        var names: [String] = []
        var titles: [String] = []
        var counts: [Int] = []
        try context.forEachRow(Sample.all) { row in
            names.append(String(copying: try row.name))
            titles.append(text(try row.title))
            counts.append(try row.utf8(\.name).count)
            counts.append(try row.utf8(\.title)?.count ?? -1)
        }
        #expect(try names == context.fetchValues(Sample.all).map(\.name))
        #expect(names[1] == "a\u{FFFD}b" && titles[1] == "\(Array("\u{FFFD}(".utf8))")
        #expect(counts == [3, -1, 5, 4, 28, -1])
    }

    @Test func aValueThatDoesNotFitIsAnErrorOfTheRowThatIsRead() throws {
        let context = ModelContext(try memoryContainer(AtticModel.self))
        for index in 1...3 { context.insert(Item(counts: [Int64(index)], name: "item \(index)")) }
        try context.save()
        try context.container.execute("UPDATE Item SET mood = 'bored', token = X'00' WHERE name = 'item 2'")
        var names: [String] = []
        #expect {
            try context.forEachRow(Item.all) { row in
                names.append(String(copying: try row.name))
                _ = try row.mood
            }
        } throws: { error in
            if case StoreError.invalidValue("Item", "mood", 2, _) = error { true } else { false }
        }
        #expect(names == ["item 1", "item 2"])
        // This loop does not read the invalid value.
        try context.forEachRow(Item.all) { row in names.append(String(copying: try row.name)) }
        #expect(names.count == 5)
    }

    @Test func largeValuesComeFromTheirFiles() throws {
        let container = try ModelContainer(for: AtticModel.self, at: folder.file())
        let context = ModelContext(container)
        let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        for photo in [nil, Data(), large, Data("ashlar$file:no file at all".utf8)] {
            let item = Item(counts: [], name: "a")
            item.photo = photo
            item.scan = photo
            context.insert(item)
        }
        try context.save()
        var photos: [Data?] = []
        try context.forEachRow(Item.all) { row in
            let photo = try row.photo
            if let photo { photos.append(photo.withUnsafeBytes { Data($0) }) } else { photos.append(nil) }
            let count = try row.scan?.byteCount
            #expect(count == photos.last??.count)
        }
        #expect(photos == [nil, Data(), large, Data("ashlar$file:no file at all".utf8)])
    }

    private struct Stop: Error {}

    @Test func anErrorOfTheClosureEndsTheLoop() throws {
        for isInMemory in [false, true] {
            let context = try context(inMemory: isInMemory)
            for index in 0..<5 { context.insert(Sample(count: Int64(index))) }
            try context.save()
            var count = 0
            #expect(throws: Stop.self) {
                try context.forEachRow(Sample.all) { row in
                    count += 1
                    if try row.count == 2 { throw Stop() }
                }
            }
            #expect(count == 3)
            // The ended loop does not block a save.
            context.insert(Sample())
            try context.save()
            #expect(try context.fetchValues(Sample.all).count == 6)
        }
    }

    // MARK: Within the closure

    @Test(arguments: [false, true]) func theClosureMayReadAndLend(inMemory: Bool) throws {
        let context = try context(inMemory: inMemory)
        for index in 0..<6 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        var pairs: [[Int64]] = []
        try context.forEachRow(Sample.all) { outer in
            let count = try outer.count
            let less = Sample.where { $0.count < count }
            #expect(try context.fetchCount(less) == Int(count))
            // The same query as the outer loop's, whose statement is in use.
            #expect(try context.fetchValues(Sample.all).count == 6)
            #expect(try context.fetch(Sample.all).count == 6)
            try context.forEachRow(less) { inner in pairs.append([count, try inner.count]) }
            // The outer row is still the same.
            let again = try outer.count
            #expect(again == count)
        }
        #expect(pairs == (0..<6).flatMap { outer in (0..<outer).map { [Int64(outer), Int64($0)] } })
    }

    @Test func theClosureMayReadAtAPinnedGeneration() throws {
        let context = try context(inMemory: false)
        for index in 0..<3 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        try context.setQueryGeneration(from: .current)
        #expect(try context.fetchCount(Sample.all) == 3)
        let twin = ModelContext(context.container)
        try twin.setQueryGeneration(from: context.queryGenerationToken)
        let other = ModelContext(context.container)
        other.insert(Sample(count: 9))
        try other.save()
        var counts: [Int64] = []
        try context.forEachRow(Sample.all) { row in
            counts.append(try row.count)
            #expect(try context.fetchValues(Sample.all).count == 3)
            #expect(try twin.fetchValues(Sample.all).count == 3)
            #expect(try other.fetchValues(Sample.all).count == 4)
        }
        #expect(counts == [0, 1, 2])
    }

    @Test func theClosureMayWrite() throws {
        let context = try context(inMemory: false)
        for index in 0..<4 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        var count = 0
        try context.forEachRow(Sample.all) { row in
            count += 1
            context.insert(Sample(count: try row.count + 10))
            try context.save()
        }
        #expect(count == 4)
        #expect(try context.fetchCount(Sample.all) == 8)
        // In memory, the loop occupies the only connection.
        let memory = try self.context(inMemory: true)
        memory.insert(Sample())
        try memory.save()
        #expect {
            try memory.forEachRow(Sample.all) { _ in
                memory.insert(Sample())
                try memory.save()
            }
        } throws: { error in
            if case StoreError.nestedWriting = error { true } else { false }
        }
        try memory.save()
        #expect(try memory.fetchCount(Sample.all) == 2)
    }

    @Test(arguments: [false, true]) func aTransactionSeesWhatItWrote(inMemory: Bool) throws {
        let context = try context(inMemory: inMemory)
        var counts: [Int64] = []
        try context.transaction {
            for index in 0..<3 { context.insert(Sample(count: Int64(index))) }
            try context.save()
            try context.forEachRow(Sample.all) { row in
                counts.append(try row.count)
                #expect(try context.fetchValues(Sample.all).count == 3)
                try context.forEachRow(Sample.all) { counts.append(try $0.count) }
            }
        }
        #expect(counts == [0, 0, 1, 2, 1, 0, 1, 2, 2, 0, 1, 2])
    }

    // MARK: Fallback statements and cancellation

    /// If a search along an order is abandoned after rows were lent, the fallback does not lend them again.
    @Test func everyRowIsLentOnce() throws {
        let context = try context(inMemory: false)
        for index in 0..<20_000 {
            // The rows in the box come first in the order, with long gaps before the others.
            let isInside = index % 1000 == 0 || index > 19_900
            context.insert(
                Sample(
                    count: Int64(index), latitude: isInside ? 50 : Double(index % 40), longitude: isInside ? 50 : 10))
        }
        try context.save()
        for limit in [5, 20, 60] {
            let descriptor = Sample.where { $0.latitude >= 49 && $0.latitude <= 51 && $0.longitude >= 49 }
                .order { $0.count.ascending }.limit(limit)
            var counts: [Int64] = []
            try context.forEachRow(descriptor) { counts.append(try $0.count) }
            #expect(try counts == context.fetchValues(descriptor).map(\.count))
        }
    }

    @Test func aSecondWayGoesOnWhereTheFirstEnded() throws {
        let context = try context(inMemory: false)
        for index in 0..<3000 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let entity = Sample._ashlarEntity
        let select = "SELECT \(entity.selectedColumns) FROM Sample"
        var sql = BoundStatement(text: select, values: [])
        sql.detour = BoundStatement.Detour(
            stepLimit: 5000, statement: BoundStatement(text: select + " LIMIT 2500", values: []))
        var counts: [Int64] = []
        try context.lendRows(of: entity, sql, Sample.Values.layout) { lender in
            counts.append(try RowView<Sample.Values>(lender).count)
        }
        // The first statement was abandoned before its end, and the second one ends before the last rows.
        #expect(counts == Array(0..<2500))
    }

    /// The cases in which other reads use the connection that lends the rows.
    enum SharedConnection: CaseIterable {
        case inMemory, transaction, generation
    }

    /// The steps of statements in the closure do not count toward the limit of the lent rows, and have a limit of
    /// their own.
    @Test(arguments: SharedConnection.allCases) func theClosureReadsBesideALimit(_ shared: SharedConnection) throws {
        let context = try context(inMemory: shared == .inMemory)
        for index in 0..<3000 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let entity = Sample._ashlarEntity
        func sql(_ end: String, limit: Int, else detour: String) -> BoundStatement {
            let select = "SELECT \(entity.selectedColumns) FROM Sample"
            var sql = BoundStatement(text: select + end, values: [])
            sql.detour = BoundStatement.Detour(
                stepLimit: limit, statement: BoundStatement(text: select + detour, values: []))
            return sql
        }
        func counts(_ sql: BoundStatement, _ body: () throws -> Void = {}) throws -> [Int64] {
            var counts: [Int64] = []
            try context.lendRows(of: entity, sql, Sample.Values.layout) { lender in
                counts.append(try RowView<Sample.Values>(lender).count)
                try body()
            }
            return counts
        }
        func check() throws {
            // Twenty rows are within the limit. Together with the reads for each of them, they would exceed it.
            let few = try counts(sql(" LIMIT 20", limit: 10_000, else: " LIMIT 5")) {
                #expect(try context.fetchValues(Sample.all).count == 3000)
                // The writes would exceed it too.
                if shared == .transaction { try context.batchUpdate(Sample.all) { $0.title = "t" } }
            }
            #expect(few == Array(0..<20))
            // The inner query exceeds its limit and uses its fallback. Afterwards the limit of the outer query still
            // holds.
            var inner: [[Int64]] = []
            let outer = try counts(sql("", limit: 5000, else: " LIMIT 2500")) {
                if inner.isEmpty { inner.append(try counts(sql("", limit: 5000, else: " LIMIT 2000"))) }
            }
            #expect(inner == [Array(0..<2000)])
            #expect(outer == Array(0..<2500))
        }
        switch shared {
        case .inMemory: try check()
        case .generation:
            try context.setQueryGeneration(from: .current)
            try check()
        case .transaction:
            try context.transaction {
                context.insert(Sample(count: 3000))
                try context.save()
                try context.fetch(Sample.where { $0.count == 3000 }).forEach(context.delete)
                try context.save()
                try check()
            }
        }
    }

    /// A cancellation ends the loop alone: the closure's reads with another context go on, and their errors are not
    /// taken for the loop's.
    @Test(arguments: [false, true]) func aCancellationEndsTheLoopAlone(inMemory: Bool) async throws {
        let context = try context(inMemory: inMemory)
        for index in 0..<3000 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let container = context.container
        let task = Task {
            try await container.forEachRow(Sample.all) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                let count = try ModelContext(container).fetchValues(Sample.all).count
                #expect(count == 3000)
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aCancellationEndsTheLoop() async throws {
        let context = try context(inMemory: false)
        for index in 0..<100 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let container = context.container
        let task = Task {
            try await container.forEachRow(Sample.all) { row in
                if try row.count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                if try row.count > 3 { throw Stop() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await container.forEachRow(Sample.all) { _ in }
    }
}

extension Sample.Values {
    /// A computed property of the program.
    fileprivate var isHeavy: Bool { (weight ?? 0) > 1 }
    fileprivate var shortName: String { String(name.prefix(2)) }
}
