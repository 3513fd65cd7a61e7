import Testing

@testable import Ashlar

/// One-to-one relationships that two contexts set at the same time. A skipper's row has the reference to the vessel.
@Suite struct OneToOneTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let other: ModelContext
    private let vessel: Vessel
    private let skippers: [Skipper]

    private static let storePolicies = [MergePolicy.mergeByPropertyStoreTrump, .rollback]
    private static let objectPolicies = [MergePolicy.mergeByPropertyObjectTrump, .overwrite]

    init() throws {
        container = try memoryContainer(HarborModel.self)
        (context, other) = (ModelContext(container), ModelContext(container))
        vessel = Vessel(name: "vessel")
        skippers = ["a", "b"].map { Skipper(name: $0) }
        context.insert(vessel)
        for skipper in skippers { context.insert(skipper) }
        try context.save()
    }

    /// Gives the vessel to the first skipper, in another context.
    private func assignElsewhere(fromVessel: Bool) throws {
        let theirs: Skipper = try other.model(for: skippers[0].persistentModelID)
        let theirVessel: Vessel = try other.model(for: vessel.persistentModelID)
        if fromVessel { theirVessel.skipper = theirs } else { theirs.vessel = theirVessel }
        try other.save()
    }

    private func stored() throws -> [String: String?] {
        let reader = ModelContext(container)
        let skippers = try reader.fetch(Skipper.all)
        for skipper in skippers { #expect(skipper.vessel == nil || skipper.vessel?.skipper === skipper) }
        return Dictionary(uniqueKeysWithValues: skippers.map { ($0.name, $0.vessel?.name) })
    }

    private func isConflict(_ error: any Error, _ object: PersistentIdentifier) -> Bool {
        guard case SaveError.conflict(let conflicts) = error else { return false }
        return conflicts.map(\.object) == [object] && conflicts.map(\.kind) == [.notUnique(["vessel"])]
    }

    @Test(arguments: [false, true], [false, true])
    func aPartnerThatAnotherRowHasIsAConflict(_ fromVessel: Bool, _ merges: Bool) throws {
        context.automaticallyMergesChangesFromParent = merges
        if fromVessel { vessel.skipper = skippers[1] } else { skippers[1].vessel = vessel }
        try assignElsewhere(fromVessel: fromVessel)
        #expect { try context.save() } throws: { isConflict($0, skippers[1].persistentModelID) }
        #expect(try stored() == ["a": "vessel", "b": nil])
        #expect(skippers[1].vessel === vessel && context.hasChanges)
        context.rollback()
        #expect(skippers[1].vessel == nil && vessel.skipper === skippers[0])
    }

    @Test(arguments: storePolicies, [false, true])
    func theStoresPoliciesLeaveThePartner(_ policy: MergePolicy, _ isNew: Bool) throws {
        context.mergePolicy = policy
        let skipper = isNew ? Skipper(name: "c") : skippers[1]
        skipper.vessel = vessel
        skipper.name = "renamed"
        try assignElsewhere(fromVessel: true)
        try context.save()
        #expect(skipper.vessel == nil && vessel.skipper === skippers[0] && !context.hasChanges)
        let expected: [String: String?] = isNew ? ["a": "vessel", "b": nil] : ["a": "vessel"]
        #expect(try stored() == expected.merging(["renamed": nil]) { $1 })
        #expect(try container.integrityProblems() == [])
    }

    @Test func theStoresPoliciesKeepThePartnerOfBefore() throws {
        let boat = Vessel(name: "boat")
        skippers[1].vessel = boat
        try context.save()
        context.mergePolicy = .mergeByPropertyStoreTrump
        skippers[1].vessel = vessel
        try assignElsewhere(fromVessel: false)
        try context.save()
        #expect(skippers[1].vessel === boat && boat.skipper === skippers[1] && vessel.skipper === skippers[0])
        #expect(try stored() == ["a": "vessel", "b": "boat"])
    }

    @Test(arguments: objectPolicies, [false, true])
    func theObjectsPoliciesTakeThePartner(_ policy: MergePolicy, _ isNew: Bool) throws {
        context.mergePolicy = policy
        other.automaticallyMergesChangesFromParent = true
        let skipper = isNew ? Skipper(name: "c") : skippers[1]
        skipper.vessel = vessel
        try assignElsewhere(fromVessel: true)
        let loser: Skipper = try other.model(for: skippers[0].persistentModelID)
        let version = loser.record.version
        try context.save()
        other.processPendingChanges()
        #expect(skipper.vessel === vessel && vessel.skipper === skipper && skippers[0].vessel == nil)
        #expect(loser.vessel == nil && loser.record.version == version + 1)
        let expected: [String: String?] = ["a": nil, "b": nil]
        #expect(try stored() == expected.merging([skipper.name: "vessel"]) { $1 })
        #expect(!context.hasChanges)
        #expect(try container.integrityProblems() == [])
    }

    @Test(arguments: [MergePolicy.error] + storePolicies + objectPolicies)
    func partnersAreExchangedByOneSave(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        let boat = Vessel(name: "boat")
        (skippers[0].vessel, skippers[1].vessel) = (vessel, boat)
        try context.save()
        (skippers[0].vessel, skippers[1].vessel) = (boat, vessel)
        try context.save()
        #expect(try stored() == ["a": "boat", "b": "vessel"])
        context.delete(skippers[0])
        let heir = Skipper(name: "heir")
        heir.vessel = boat
        try context.save()
        #expect(try stored() == ["heir": "boat", "b": "vessel"])
    }

    @Test func aRequiredPartnerStaysAfterAMerge() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.automaticallyMergesChangesFromParent = true
        context.insert(Licence(number: "1", holder: skippers[0]))
        let theirs: Skipper = try other.model(for: skippers[0].persistentModelID)
        other.insert(Licence(number: "2", holder: theirs))
        try other.save()
        #expect(try context.fetch(Licence.all).allSatisfy { $0.holder === skippers[0] })
        #expect { try context.save() } throws: { isValidation($0, ["holder"], .missingRequiredValue) }
    }

    @Test func aRequiredPartnerIsNotTakenFromItsRow() throws {
        let skipper = skippers[0]
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.insert(Licence(number: "1", holder: skipper))
        let theirs: Skipper = try other.model(for: skipper.persistentModelID)
        other.insert(Licence(number: "2", holder: theirs))
        try other.save()
        #expect { try context.save() } throws: { isValidation($0, ["holder"], .missingRequiredValue) }
        context.mergePolicy = .error
        #expect(throws: SaveError.self) { try context.save() }
        #expect(try ModelContext(container).fetchCount(Licence.all) == 1)
    }

    @Test func aChildsPartnerIsAConflictOfItsParent() throws {
        let child = ModelContext(parent: context)
        let skipper: Skipper = try child.model(for: skippers[1].persistentModelID)
        skipper.vessel = try child.model(for: vessel.persistentModelID)
        try assignElsewhere(fromVessel: true)
        try child.save()
        #expect { try context.save() } throws: { isConflict($0, skippers[1].persistentModelID) }
    }

    @Test func rowsThatShareAPartnerAreReported() throws {
        #expect(try container.integrityProblems() == [])
        try container.execute("UPDATE \"Skipper\" SET \"vessel\" = 1")
        #expect(
            try container.integrityProblems() == [
                "Rows 1, 2 of Skipper all lead to row 1 by Skipper.vessel, which is one-to-one."
            ])
    }
}
