import AshlarSQLite
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Leaves of composites in conditions, orders and indexes.
@Suite struct CompositeQueryTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try memoryContainer()
        context = ModelContext(container)
    }

    @Test func conditionsAndOrdersSeeLeaves() throws {
        for (index, street) in ["b", "a", nil, "c"].enumerated() {
            let home = street.map { PostalAddress(position: index == 0 ? Coordinate(latitude: 1) : nil, street: $0) }
            context.insert(Resident(home: home, name: "\(index)"))
        }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            func names(_ descriptor: FetchDescriptor<Resident>) throws -> String {
                try context.fetch(descriptor).map(\.name).joined()
            }
            #expect(try names(Resident.order { $0.home.street.ascending }) == "2103")
            #expect(try names(Resident.where { $0.home.street > "a" }.order { $0.home.street.descending }) == "30")
            #expect(try names(Resident.where { $0.home == nil }) == "2")
            #expect(
                try names(Resident.where { $0.home != nil && $0.home.position == nil }.order { $0.name.ascending })
                    == "13")
            #expect(try names(Resident.where { $0.home.position.latitude == 1 }) == "0")
            #expect(
                try names(Resident.where { !($0.home.position.latitude == 1) }.order { $0.name.ascending }) == "123")
            #expect(try context.fetchCount(Resident.where { $0.work.position == nil && $0.work.street == "" }) == 4)
        }
    }

    @Test func indexesOverLeavesAreUsed() throws {
        func plan(_ condition: String) throws -> String? {
            try container.pool.read { connection in
                let statement = try connection.statement(
                    "EXPLAIN QUERY PLAN SELECT \"id$\" FROM Sample WHERE \(condition)")
                defer { statement.reset() }
                return try statement.step() ? Row(statement: statement.handle, store: 0).optionalString(3) : nil
            }
        }
        #expect(try plan("\"place$street\" = 'a'")?.contains("index$Sample$byStreet") == true)
        for latitude in [1.0, 2, 3] {
            context.insert(Sample(spot: Coordinate(latitude: latitude, longitude: latitude)))
        }
        try context.save()
        let found = try context.fetch(Sample.where { $0.bySpot(spotLatitude: 1.5...3, spotLongitude: 0...2.5) })
        #expect(found.map(\.spot.latitude) == [2])
    }
}
