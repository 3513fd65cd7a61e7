import Testing

@testable import Ashlar

/// Members that are added to an object while another context deletes it.
@Suite struct NewMemberTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let other: ModelContext
    private let owner: Owner
    /// The owner in the other context.
    private let theirs: Owner

    init() throws {
        container = try memoryContainer()
        (context, other) = (ModelContext(container), ModelContext(container))
        owner = Owner(name: "owner", cascaded: [Cascaded(name: "known")])
        context.insert(owner)
        try context.save()
        theirs = try other.model(for: owner.persistentModelID)
    }

    private static let storePolicies = [MergePolicy.mergeByPropertyStoreTrump, .rollback]
    private static let objectPolicies = [MergePolicy.mergeByPropertyObjectTrump, .overwrite]

    private func names<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, _ name: (Model) -> String) throws
        -> [String]
    {
        try ModelContext(container).fetch(descriptor).map(name).sorted()
    }

    private func isConflict(_ error: any Error, _ object: PersistentIdentifier, _ properties: [String]) -> Bool {
        guard case SaveError.conflict(let conflicts) = error else { return false }
        return conflicts.map(\.object) == [object] && conflicts.map(\.storeChangedProperties) == [properties]
    }

    // MARK: Cascade

    @Test(arguments: [true, false]) func aNewMemberOfADeletedOwnerIsAConflict(_ isInserted: Bool) throws {
        let item = Cascaded(name: "new")
        if !isInserted {
            other.insert(item)
            try other.save()
        }
        context.delete(owner)
        item.owner = theirs
        try other.save()
        #expect { try context.save() } throws: { isConflict($0, owner.persistentModelID, ["cascaded"]) }
        #expect(try names(Cascaded.all) { $0.name } == ["known", "new"])
        #expect(owner.isDeleted && context.hasChanges)
        context.rollback()
        #expect(!owner.isDeleted && owner.cascaded.count == 2)
    }

    @Test func mergingDoesNotSettleTheConflict() throws {
        context.automaticallyMergesChangesFromParent = true
        context.delete(owner)
        other.insert(Cascaded(name: "new", owner: theirs))
        try other.save()
        #expect(try context.fetch(Cascaded.all).map(\.name) == ["new"])
        #expect { try context.save() } throws: { isConflict($0, owner.persistentModelID, ["cascaded"]) }
        let item = try #require(try context.fetch(Cascaded.all).first)
        context.delete(item)
        try context.save()
        #expect(try names(Cascaded.all) { $0.name } == [])
    }

    @Test(arguments: storePolicies) func theStoresPoliciesKeepTheOwner(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        context.delete(owner)
        let item = Cascaded(name: "new", owner: theirs)
        other.insert(item)
        try other.save()
        try context.save()
        #expect(!owner.isDeleted && owner.cascaded.map(\.name) == ["new"] && !context.hasChanges)
        #expect(try names(Owner.all) { $0.name } == ["owner"])
        #expect(try names(Cascaded.all) { $0.name } == ["new"])
        try other.refreshAllObjects()
        #expect(item.owner === theirs)
        try container.expectSound()
    }

    @Test(arguments: objectPolicies) func theObjectsPoliciesDeleteNewMembersToo(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        other.automaticallyMergesChangesFromParent = true
        context.delete(owner)
        let item = Cascaded(name: "new", owner: theirs)
        other.insert(item)
        try other.save()
        let list = FetchedResultsController(Cascaded.order { $0.name.ascending }, in: other)
        try list.performFetch()
        #expect(list.fetchedObjects.map(\.name) == ["known", "new"])
        var deleted: [PersistentIdentifier] = []
        context.observe(.didSave) { _, changes in deleted += changes.deletedModels.map(\.persistentModelID) }
        try context.save()
        #expect(deleted.contains(item.persistentModelID) && deleted.contains(owner.persistentModelID))
        other.processPendingChanges()
        #expect(item.isDeleted && list.fetchedObjects.isEmpty)
        #expect(try names(Cascaded.all) { $0.name } == [] && names(Owner.all) { $0.name } == [])
        try container.expectSound()
    }

    /// Each member's own rules hold, at any depth.
    @Test func newMembersTakeTheirMembersAlong() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let root = Node(name: "root")
        context.insert(root)
        try context.save()
        context.delete(root)
        var last: Node = try other.model(for: root.persistentModelID)
        for depth in 0..<30 {
            let next = Node(name: "\(depth)")
            next.parent = last
            last = next
        }
        try other.save()
        try context.save()
        #expect(try ModelContext(container).fetchCount(Node.all) == 0)
        try container.expectSound()
    }

    @Test func keepingAnOwnerKeepsWhatWouldTakeItAlong() throws {
        context.mergePolicy = .mergeByPropertyStoreTrump
        var nodes = [Node(name: "0")]
        for depth in 1..<30 {
            nodes.append(Node(name: "\(depth)"))
            nodes[depth].parent = nodes[depth - 1]
        }
        context.insert(nodes[0])
        try context.save()
        context.delete(nodes[0])
        let new = Node(name: "new")
        other.insert(new)
        new.parent = try other.model(for: nodes[29].persistentModelID)
        try other.save()
        try context.save()
        #expect(nodes.allSatisfy { !$0.isDeleted } && !context.hasChanges)
        #expect(try ModelContext(container).fetchCount(Node.all) == 31)
        try container.expectSound()
    }

    @Test(arguments: storePolicies) func aMemberThatAPolicyKeepsIsNotTakenAlong(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        let known = try #require(owner.cascaded.first)
        context.delete(owner)
        let theirKnown: Cascaded = try other.model(for: known.persistentModelID)
        theirKnown.name = "changed"
        try other.save()
        try context.save()
        #expect(!known.isDeleted && known.name == "changed" && known.owner === owner && !owner.isDeleted)
        #expect(try names(Cascaded.all) { $0.name } == ["changed"])
        #expect(owner.cascaded.array == [known])
        try container.expectSound()
    }

    @Test func aMemberThatIsMovedAwayIsNotNew() throws {
        let heir = Owner(name: "heir")
        context.insert(heir)
        try context.save()
        let known = try #require(owner.cascaded.first)
        known.owner = heir
        context.delete(owner)
        try context.save()
        #expect(heir.cascaded.map(\.name) == ["known"])
    }

    // MARK: Nullify and deny

    @Test(arguments: [MergePolicy.error] + storePolicies + objectPolicies)
    func aReferenceThatADeletionEmptiesIsAChange(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        context.delete(owner)
        let item = Nullified(name: "new", owner: theirs)
        other.insert(item)
        try other.save()
        if policy.isError {
            #expect { try context.save() } throws: { isConflict($0, owner.persistentModelID, ["nullified"]) }
            return
        }
        other.automaticallyMergesChangesFromParent = true
        try context.save()
        other.processPendingChanges()
        switch policy.kind {
        case .storeTrump, .rollback: #expect(item.owner === theirs && !owner.isDeleted)
        default:
            #expect(item.owner == nil && item.values.owner == nil && theirs.isDeleted && item.record.version == 2)
        }
        try container.expectSound()
    }

    @Test(arguments: [MergePolicy.error] + storePolicies + objectPolicies)
    func aNewMemberDeniesTheDeletion(_ policy: MergePolicy) throws {
        context.mergePolicy = policy
        context.delete(owner)
        other.insert(Denied(name: "new", owner: theirs))
        try other.save()
        #expect { try context.save() } throws: { isValidation($0, ["denied"], .deletionDenied) }
        #expect(try names(Owner.all) { $0.name } == ["owner"])
    }

    @Test func aNewPartnerIsAConflict() throws {
        let person = Person(name: "person")
        context.insert(person)
        try context.save()
        context.delete(person)
        other.insert(Passport(number: "1", person: try other.model(for: person.persistentModelID) as Person))
        try other.save()
        #expect { try context.save() } throws: { isConflict($0, person.persistentModelID, ["passport"]) }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try ModelContext(container).fetchCount(Passport.all) == 0)
    }

    // MARK: Pairs in a table of their own

    @Test func pairsOfADeletedObjectAreCountedInToo() throws {
        let container = try memoryContainer(DepotModel.self)
        let (context, other) = (ModelContext(container), ModelContext(container))
        let (parcel, stamp, seal) = (Parcel(name: "parcel"), Stamp(name: "stamp"), Seal(name: "seal"))
        for object in [parcel, stamp, seal] as [any PersistentModel] { context.insert(object) }
        try context.save()
        let theirs: Parcel = try other.model(for: parcel.persistentModelID)
        context.delete(parcel)
        theirs.stamps.append(try other.model(for: stamp.persistentModelID))
        theirs.seals.append(try other.model(for: seal.persistentModelID))
        try other.save()
        #expect { try context.save() } throws: { isValidation($0, ["seals"], .deletionDenied) }
        theirs.seals = []
        try other.save()
        #expect { try context.save() } throws: { isConflict($0, parcel.persistentModelID, ["stamps"]) }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try other.fetchCount(Parcel.all) == 0 && other.fetchCount(Stamp.all) == 0)
        #expect(try other.fetchCount(Seal.all) == 1)
    }

    @Test func aPairThatIsTakenOutBeforeIsNotNew() throws {
        let context = ModelContext(try memoryContainer(DepotModel.self))
        let (parcel, stamp) = (Parcel(name: "parcel"), Stamp(name: "stamp"))
        context.insert(parcel)
        parcel.stamps.append(stamp)
        try context.save()
        parcel.stamps.remove(stamp)
        context.delete(parcel)
        try context.save()
        #expect(try context.fetchCount(Stamp.all) == 1 && context.fetchCount(Parcel.all) == 0)
    }

    // MARK: Costs

    @Test func aSaveLooksOnceForTheMembersOfAllItsOwners() throws {
        func statements(_ count: Int) throws -> Int {
            let owners = (0..<count).map { Owner(name: "\($0)", cascaded: [Cascaded(name: "a"), Cascaded(name: "b")]) }
            for owner in owners { context.insert(owner) }
            try context.save()
            for owner in owners { context.delete(owner) }
            context.statementCount = 0
            try context.save()
            return context.statementCount
        }
        let (few, many) = (try statements(64), try statements(640))
        #expect(many < few * 11)
        let labels = (0..<100).map { Label(name: "\($0)") }
        for label in labels { context.insert(label) }
        try context.save()
        for label in labels { context.delete(label) }
        context.statementCount = 0
        try context.save()
        // The beginning, the rows in groups of 64, and the commit. No statement looks for members where none can
        // exist.
        #expect(context.statementCount <= 6)
    }

    @Test func batchesNotifyContextsOfRowsThatTheirCascadesDelete() throws {
        other.automaticallyMergesChangesFromParent = true
        let item = Nullified(name: "item", owner: theirs)
        other.insert(item)
        try other.save()
        let list = FetchedResultsController(Cascaded.order { $0.name.ascending }, in: other)
        try list.performFetch()
        let known = try #require(list.fetchedObjects.first)
        #expect(try context.batchDelete(Owner.all) == 1)
        other.processPendingChanges()
        #expect(known.isDeleted && theirs.isDeleted && list.fetchedObjects.isEmpty && item.owner == nil)
        #expect(context.registeredModels.isEmpty)
    }
}
