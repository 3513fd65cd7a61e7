import Foundation
import Testing

@testable import Ashlar

/// Composites whose parts two contexts change.
@Suite struct CompositeConflictTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try memoryContainer()
        context = ModelContext(container)
    }

    /// A resident whose home another context sets to nil while this one changes a part of it.
    private func conflict(_ policy: MergePolicy) throws -> Resident {
        let resident = Resident(home: PostalAddress(street: "High Street"), name: "name")
        context.insert(resident)
        try context.save()
        let other = ModelContext(container)
        let same: Resident = try other.model(for: resident.persistentModelID)
        same.home = nil
        same.work.city = "Bath"
        try other.save()
        resident.home?.position = Coordinate(latitude: 1)
        resident.work.street = "Low Street"
        context.mergePolicy = policy
        return resident
    }

    @Test func whoeverWinsACompositeIsWhole() throws {
        let lost = try conflict(.mergeByPropertyStoreTrump)
        try context.save()
        #expect(lost.home == nil && lost.work == PostalAddress(city: "Bath", street: "Low Street"))
        #expect(try context.fetched(Resident.self).first?.values == lost.values)
        #expect(try container.integer("SELECT count(*) FROM Resident WHERE \"home$position$latitude\" = 1") == 0)
        context.delete(lost)
        let kept = try conflict(.mergeByPropertyObjectTrump)
        try context.save()
        #expect(kept.home == PostalAddress(position: Coordinate(latitude: 1), street: "High Street"))
        #expect(kept.work == PostalAddress(city: "Bath", street: "Low Street"))
        #expect(try context.fetched(Resident.self).first?.values == kept.values)
    }

    @Test func aRefreshKeepsAChangeOfAPartOfWhatIsGone() throws {
        let resident = try conflict(.error)
        try context.refresh(resident)
        #expect(resident.home == PostalAddress(position: Coordinate(latitude: 1), street: "High Street"))
        try context.save()
        #expect(try context.fetched(Resident.self).first?.home == resident.home)
    }

    @Test func aUniqueLeafGivenBackTakesItsCompositeAlong() throws {
        let (first, second) = (
            Resident(home: PostalAddress(position: Coordinate(), street: "a"), name: "first"), Resident(name: "second")
        )
        context.insert(first)
        context.insert(second)
        try context.save()
        second.home = PostalAddress(position: Coordinate(), street: "a")
        second.work.city = "Bath"
        context.mergePolicy = .mergeByPropertyStoreTrump
        try context.save()
        #expect(second.home == nil && second.work.city == "Bath")
    }
}
