import AshlarCoreData
import AshlarSQLite
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Batch updates: permitted and refused assignments.
@Suite struct BatchUpdateTests {
    private func names(_ context: ModelContext) throws -> [String?] {
        try context.fetched(Sample.self).sorted { $0.persistentModelID < $1.persistentModelID }.map(\.title)
    }

    private func samples(_ count: Int, _ context: ModelContext) throws -> [Sample] {
        let samples = (0..<count).map { Sample(count: Int64($0), latitude: Double($0), name: "name \($0)") }
        for sample in samples { context.insert(sample) }
        try context.save()
        return samples
    }

    @Test("row 142: all rows of a condition are updated at once")
    func allRowsOfAConditionAreUpdatedAtOnce() throws {
        let context = try memoryContext()
        let samples = try samples(10, context)
        let label = Label(name: "l")
        context.insert(label)
        try context.save()
        context.statementCount = 0
        let before = samples[7].record.version
        let count = try context.batchUpdate(Sample.where { $0.count >= 5 }) {
            $0.flag = true
            $0.count += 1
            $0.count *= 2
            $0.title = $0.name
            $0.latitude = $0.latitude / 2 + 1
            $0.home = label
        }
        #expect(count == 5)
        // The update itself, and reading the registered objects again.
        #expect(context.statementCount < 30)
        #expect(samples[7].count == 16 && samples[7].flag && samples[7].title == "name 7" && samples[7].home === label)
        #expect(samples[7].latitude == 4.5 && samples[4].count == 4 && samples[4].title == nil)
        #expect(samples[7].record.version == before + 1 && !context.hasChanges)
        #expect(try context.fetchCount(Sample.where { $0.home != nil }) == 5)
        #expect(try context.batchUpdate(Sample.where { $0.count > 1000 }) { $0.flag = false } == 0)
        #expect(try context.batchUpdate(Sample.all) { _ in } == 0)
        try context.container.expectSound()
    }

    @Test func assignmentsCountOneAfterTheOther() throws {
        let context = try memoryContext()
        let samples = try samples(3, context)
        try context.batchUpdate(Sample.all) {
            $0.count += 1
            $0.count += 1
            $0.latitude = $0.latitude + 1
            $0.longitude = $0.latitude * 10
            $0.flag = $0.count > 3
        }
        #expect(samples.map(\.count) == [2, 3, 4] && samples.map(\.longitude) == [10, 20, 30])
        #expect(samples.map(\.flag) == [false, false, true])
    }

    @Test func otherRowsAreReadAsTheyWereBefore() throws {
        let context = try memoryContext()
        let samples = try samples(5, context)
        for (child, parent) in zip(samples.dropFirst(), samples) { child.parent = parent }
        for sample in samples { sample.title = sample.name }
        try context.save()
        try context.batchUpdate(Sample.all) { $0.title = $0.parent.title }
        #expect(try names(context) == [nil, "name 0", "name 1", "name 2", "name 3"])
        try context.batchUpdate(Sample.where { $0.parent.name == "name 1" }) { $0.title = $0.parent.parent.name }
        #expect(try names(context)[2] == "name 0")
        try context.batchUpdate(Sample.all) { $0.flag = $0.children.contains { $0.name == "name 4" } }
        #expect(samples.map(\.flag) == [false, false, false, true, false])
        // A required value through a relationship that is nil.
        #expect {
            try context.batchUpdate(Sample.all) { $0.latitude = $0.parent.latitude }
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.rule == .missingRequiredValue && failure.property == "latitude"
                && failure.object == samples[0].persistentModelID
        }
    }

    /// A sum of required integers needs no check of the rows; a quotient does.
    @Test func requiredValuesAreNeverNull() throws {
        let context = try memoryContext()
        let samples = try samples(5, context)
        let looks = try runs(context) { try context.batchUpdate(Sample.all) { $0.count = $0.count * 2 + 1 } }
        #expect(samples.map(\.count) == [1, 3, 5, 7, 9])
        #expect(try runs(context) { try context.batchUpdate(Sample.all) { $0.count = $0.count / 1 } } == looks + 1)
        #expect {
            try context.batchUpdate(Sample.all) { $0.count = $0.count / ($0.count - 5) }
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.rule == .missingRequiredValue && failure.object == samples[2].persistentModelID
        }
        #expect(samples.map(\.count) == [1, 3, 5, 7, 9])
    }

    /// The table does not enforce the required properties of a subentity.
    @Test func requiredValuesOfSubentities() throws {
        let context = try memoryContext()
        let cars = (0..<3).map { Car(name: "\($0)") }
        for car in cars { context.insert(car) }
        try context.save()
        try context.container.execute("UPDATE Vehicle SET \"Car$doors\" = NULL WHERE name = '1'")
        #expect {
            try context.batchUpdate(Car.all) { $0.doors = $0.doors + 1 }
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.rule == .missingRequiredValue && failure.object == cars[1].persistentModelID
        }
    }

    private func runs(_ context: ModelContext, _ body: () throws -> Void) throws -> Int {
        let before = try context.container.pool.write { $0.runs.count }
        try body()
        return try context.container.pool.write { $0.runs.count } - before
    }

    @Test func limitsAndOrdersSayWhichRows() throws {
        let context = try memoryContext()
        let samples = try samples(6, context)
        let greatest = Sample.order { $0.count.descending }.limit(2)
        #expect(try context.batchUpdate(greatest) { $0.flag = true } == 2)
        #expect(samples.map(\.flag) == [false, false, false, false, true, true])
        #expect(try context.batchUpdate(greatest.offset(1)) { $0.flag = false } == 2)
        #expect(samples.map(\.flag) == [false, false, false, false, false, true])
        #expect(try context.batchUpdate(Sample.all.limit(0)) { $0.flag = true } == 0)
    }

    @Test func allFrontEndsSayWhichRows() throws {
        let context = try memoryContext()
        let samples = try samples(6, context)
        let predicate = #Predicate<Sample> { $0.count > 3 }
        #expect(try context.batchUpdate(FetchDescriptor<Sample>(predicate: predicate)) { $0.title = "p" } == 2)
        var format = FetchDescriptor<Sample>()
        format.condition = try Condition(for: Sample.self, format: "name BEGINSWITH %@", arguments: ["name 1"])
        #expect(try context.batchUpdate(format) { $0.title = "f" } == 1)
        #expect(samples.map(\.title) == [nil, "f", nil, nil, "p", "p"])
    }

    @Test func leavesOfCompositesAreAssigned() throws {
        let context = try memoryContext()
        let samples = try samples(3, context)
        samples[0].place = PostalAddress(position: Coordinate(latitude: 1, longitude: 2), street: "High Street")
        samples[1].place = PostalAddress(street: "Low Street")
        try context.save()
        try context.batchUpdate(Sample.all) {
            $0.spot.latitude = 5
            $0.spot.altitude = $0.spot.latitude
            $0.place.street = "Street"
            $0.place.position.latitude = 7
        }
        #expect(samples.allSatisfy { $0.spot.latitude == 5 && $0.spot.altitude == 5 })
        #expect(samples.map { $0.place?.street } == ["Street", "Street", nil])
        #expect(samples.map { $0.place?.position?.latitude } == [7, nil, nil])
        // A required leaf of a composite.
        #expect(throws: BatchError.self) { try context.batchUpdate(Sample.all) { $0.place.street = nil } }
        #expect(try context.batchUpdate(Sample.where { $0.place == nil }) { $0.place.street = nil } == 1)
        try context.batchUpdate(Sample.all) { $0.place = nil }
        #expect(samples.allSatisfy { $0.place == nil })
        #expect(try context.fetched(Sample.self).allSatisfy { $0.place == nil })
    }

    @Test func entitiesBelowAreUpdatedToo() throws {
        let context = try memoryContext()
        let vehicles: [Vehicle] = [Car(name: "a"), Truck(name: "b", load: 1), Boat(name: "c")]
        for vehicle in vehicles { context.insert(vehicle) }
        try context.save()
        #expect(try context.batchUpdate(Vehicle.all) { $0.wheels = 3 } == 3)
        #expect(try context.batchUpdate(Car.all) { $0.doors = 2 } == 2)
        var cars = Car.all
        cars.includesSubentities = false
        #expect(try context.batchUpdate(cars) { $0.name = "car" } == 1)
        #expect(vehicles.map(\.name) == ["car", "b", "c"] && vehicles.allSatisfy { $0.wheels == 3 })
        var request = BatchUpdateRequest(Vehicle.all) { $0.wheels = 4 }
        request.options.resultType = .identifiers
        #expect(try Set(context.execute(request).identifiers ?? []) == Set(vehicles.map(\.persistentModelID)))
    }

    @Test("row 126: rules hold for batch updates")
    func rulesHoldForBatchUpdates() throws {
        let context = try studioContext()
        let products = (0..<5).map { Product(name: "ab\($0)", stock: Int32($0 * 20)) }
        for product in products { context.insert(product) }
        try context.save()
        func expectRefusal(
            _ property: String, _ rule: ValidationFailure.Rule, _ product: Product? = nil,
            _ assign: (inout ColumnAssignments<Product>) -> Void
        ) {
            #expect {
                try context.batchUpdate(Product.all, assign)
            } throws: { error in
                guard case BatchError.invalidValue(let failure) = error else { return false }
                return failure.property == property && failure.rule == rule
                    && failure.object == product?.persistentModelID
            }
        }
        expectRefusal("name", .tooShort(minimum: 2)) { $0.name = "a" }
        expectRefusal("name", .tooLong(maximum: 10)) { $0.name = "abcdefghijk" }
        expectRefusal("code", .patternMismatch("[A-Z]{2}|[A-Z]{2}[0-9]+")) { $0.code = "a" }
        expectRefusal("price", .belowMinimum(.text("0.5"))) { $0.price = 0 }
        expectRefusal("price", .aboveMaximum(.text("1000")), products[0]) { $0.price *= 5000 }
        expectRefusal("stock", .aboveMaximum(.integer(100)), products[3]) { $0.stock += 50 }
        expectRefusal("stock", .aboveMaximum(.integer(100)), products[1]) { $0.stock *= 1_000_000_000 }
        expectRefusal("code", .patternMismatch("[A-Z]{2}|[A-Z]{2}[0-9]+"), products[0]) { $0.code = $0.name }
        #expect(try context.fetched(Product.self).map(\.stock).sorted() == [0, 20, 40, 60, 80])
        try context.batchUpdate(Product.where { $0.stock < 50 }) { $0.stock += 50 }
        #expect(products.map(\.stock) == [50, 70, 90, 60, 80])
    }

    @Test func whatCannotBeAssignedIsRefused() throws {
        let context = try memoryContext()
        let samples = try samples(2, context)
        let label = Label(name: "new")
        context.insert(label)
        #expect {
            try context.batchUpdate(Sample.all) { $0.home = label }
        } throws: { error in
            guard case BatchError.invalidReference("Sample", "home", _) = error else { return false }
            return true
        }
        context.rollback()
        let other = try memoryContext()
        let foreign = Label(name: "foreign")
        other.insert(foreign)
        try other.save()
        #expect(throws: BatchError.self) { try context.batchUpdate(Sample.all) { $0.home = foreign } }
        #expect(throws: BatchError.self) {
            try context.batchUpdate(Sample.all) { $0.home = samples[0].persistentModelID }
        }
        let chassis = (0..<2).map { Chassis(name: "\($0)", engine: Engine(name: "\($0)")) }
        for chassis in chassis { context.insert(chassis) }
        try context.save()
        // One to one: the engine holds the reference.
        #expect {
            try context.batchUpdate(Engine.all) { $0.chassis = chassis[0] }
        } throws: { error in
            guard case BatchError.sharedReference("Engine", "chassis", chassis[0].persistentModelID) = error else {
                return false
            }
            return true
        }
        let engine = try #require(chassis[0].engine)
        #expect {
            try context.batchUpdate(Chassis.all) { $0.engine = engine }
        } throws: { error in
            guard case BatchError.unassignable("Chassis", _, _) = error else { return false }
            return true
        }
        #expect(chassis[1].engine?.name == "1")
        // A required relationship.
        let person = Person(name: "p")
        context.insert(Passport(number: "1", person: person))
        try context.save()
        #expect {
            try context.batchUpdate(Passport.all) { $0.person = nil }
        } throws: { error in
            guard case BatchError.invalidValue(let failure) = error else { return false }
            return failure.property == "person" && failure.rule == .missingRequiredValue
        }
        #expect(try context.batchUpdate(Passport.all) { $0.person = person.persistentModelID } == 1)
    }

    @Test func derivedAttributesAreNotAssignedAndUniqueValuesStayUnique() throws {
        let context = ModelContext(try memoryContainer(NewsroomModel.self))
        let reporters = [Reporter(name: "Ada"), Reporter(name: "Bo")]
        for reporter in reporters { context.insert(reporter) }
        try context.save()
        #expect {
            try context.batchUpdate(Reporter.all) { $0.reportsCount = 3 }
        } throws: { error in
            guard case BatchError.unassignable("Reporter", "reportsCount", _) = error else { return false }
            return true
        }
        #expect {
            try context.batchUpdate(Reporter.all) { $0.name = "Same" }
        } throws: { error in
            guard case BatchError.notUnique("Reporter", ["canonicalName"], nil) = error else { return false }
            return true
        }
        let report = Report(title: "t", author: reporters[0])
        context.insert(report)
        try context.save()
        #expect(reporters[0].reportsCount == 1)
        try context.batchUpdate(Report.all) { $0.author = reporters[1] }
        #expect(reporters.map(\.reportsCount) == [0, 1] && report.authorName == "Bo")
        try context.batchUpdate(Reporter.where { $0.name == "Bo" }) { $0.name = "Éva Brünn" }
        #expect(reporters[1].canonicalName == "eva brunn" && report.authorKey == "eva brunn")
        #expect(try NewsroomDump(context.container).mistakes == [])
    }

    @Test func membersThatComeToAnOrderedRelationshipAreItsLast() throws {
        let context = try memoryContext()
        let lists = [Playlist(name: "a"), Playlist(name: "b")]
        for list in lists { context.insert(list) }
        lists[0].tracks = ToMany((0..<4).map { Track(name: "a\($0)") })
        lists[1].tracks = ToMany((0..<3).map { Track(name: "b\($0)") })
        try context.save()
        try context.batchUpdate(Track.where { $0.name == "a2" || $0.name == "a0" || $0.name == "b1" }) {
            $0.playlist = lists[1]
        }
        #expect(lists[1].tracks.map(\.name) == ["b0", "b1", "b2", "a0", "a2"])
        #expect(lists[0].tracks.map(\.name) == ["a1", "a3"])
        lists[1].tracks.move(lists[1].tracks[0], to: 4)
        try context.save()
        let other = ModelContext(context.container)
        let stored = try other.fetch(Playlist.where { $0.name == "b" })
        #expect(stored.first?.tracks.map(\.name) == ["b1", "b2", "a0", "a2", "b0"])
    }
}
