import Ashlar
import Foundation

extension Scenario {
    /// One change, while the process holds much else.
    static func surroundings() -> [Scenario] {
        [
            // The owner's members are read once, whatever the call.
            Scenario("append a member", .members, .linear, "ToMany.append", "ToMany.contains") { size in
                let (store, owner) = try manyMembers(size)
                return {
                    let member = Member(number: -1)
                    owner.members.append(member)
                    try expect(owner.members.contains(member) && !owner.members.isEmpty)
                    try store.save()
                }
            },
            Scenario("remove a member", .members, .constant, "ToMany.remove") { size in
                let (store, owner) = try manyMembers(size)
                guard let member = try store.fetchFirst(Member.where { $0.number == 3 }) else { return {} }
                return {
                    owner.members.remove(member)
                    try store.save()
                }
            },
            Scenario(
                "append to an ordered list, insert and move", .members, .linear, "ToMany.insert", "ToMany.move",
                "ToMany.append"
            ) { size in
                let store = try GrownStore()
                let owner = Owner(name: "owner")
                store.context.insert(owner)
                for number in 0..<max(size, 4) { owner.items.append(Item(number: Int64(number))) }
                try store.context.save()
                return {
                    owner.items.append(Item(number: -1))
                    owner.items.insert(Item(number: -2), at: 1)
                    owner.items.move(owner.items[2], to: 0)
                    try store.context.save()
                }
            },
            Scenario(
                "read, filter and search members", .members, .linear, "ToMany.filter", "ToMany.firstIndex",
                "ToMany.makeIterator"
            ) { size in
                let (context, owner) = try manyMembers(size)
                return {
                    defer { withExtendedLifetime(context) {} }
                    try expect(owner.members.filter { $0.number == 3 }.count == 1)
                    if let last = owner.members.array.last { _ = owner.members.firstIndex(of: last) }
                }
            },
            Scenario("replace all members", .members, .linear, "ToMany.removeAll", "ToMany.+", "ToMany.+=") { size in
                let (store, owner) = try manyMembers(size)
                return {
                    let members = owner.members.array
                    owner.members.removeAll()
                    owner.members = ToMany(members)
                    owner.members += [Member(number: -1)]
                    try store.save()
                }
            },
            Scenario("fetch by an index beside changes", .pending, .linear, "ModelContext.fetch") { size in
                let context = try GrownStore().context
                for number in 0..<size { context.insert(Member(number: Int64(number))) }
                return { try expect(try context.fetch(Member.where { $0.number == 3 }).count == 1) }
            },
            Scenario(
                "insert and delete beside changes", .pending, .constant, "ModelContext.insert", "ModelContext.delete"
            ) { size in
                let context = try GrownStore().context
                for number in 0..<size { context.insert(Member(number: Int64(number))) }
                return {
                    let member = Member(number: -1)
                    context.insert(member)
                    context.delete(member)
                }
            },
            Scenario("save one of many that are here", .registered, .constant, "ModelContext.save") { size in
                let store = try GrownStore()
                try store.addOwners(size)
                let members = try store.context.fetch(Member.all)
                return {
                    members.first?.title = "new"
                    try store.context.save()
                }
            },
            Scenario("fetch one of many that are here", .registered, .constant, "ModelContext.fetch") { size in
                let store = try GrownStore()
                try store.addOwners(size)
                let members = try store.context.fetch(Member.all)
                return {
                    try expect(
                        try store.context.fetchFirst(Member.where { $0.number == 3 }) != nil || members.count < 4)
                }
            },
            Scenario("one change, seen by a list of many", .registered, .linear, "FetchedResultsController.object") {
                size in
                let store = try GrownStore()
                try store.addOwners(size)
                let list = FetchedResultsController(Member.order { $0.number.ascending }, in: store.context)
                try list.performFetch()
                return {
                    list.fetchedObjects.first?.number = 2
                    store.context.processPendingChanges()
                    try store.context.save()
                }
            },
            Scenario("save before observers", .observers, .linear, "ModelContext.observe", "ContextObservation.cancel")
            { size in
                let store = try GrownStore()
                let observations = (0..<size).map { _ in store.context.observe(.didSave) { _, _ in } }
                return {
                    store.context.insert(Member(number: -1))
                    try store.context.save()
                    // Each observation searches all for itself.
                    observations.last?.cancel()
                }
            },
            Scenario("save beside contexts", .contexts, .linear, "ModelContext.save") { size in
                let store = try GrownStore()
                let contexts = (0..<size).map { _ in
                    let context = store.newContext
                    context.automaticallyMergesChangesFromParent = true
                    return context
                }
                return {
                    store.context.insert(Member(number: -1))
                    try store.context.save()
                    try expect(contexts.count == size)
                }
            },
            Scenario(
                "the newest transaction", .history, .constant, "ModelContext.fetchHistory",
                "ModelContainer.currentHistoryToken"
            ) { size in
                let store = try history(size)
                let token = try store.container.currentHistoryToken()
                store.context.insert(Member(number: -1))
                try store.context.save()
                return { try expect(try store.container.fetchHistory(.fetchHistory(after: token)).count == 1) }
            },
            Scenario(
                "all transactions", .history, .linear, "ModelContainer.fetchHistory", "ModelContainer.deleteHistory",
                "ModelContext.deleteHistory"
            ) { size in
                let store = try history(size)
                return {
                    let all = try store.container.fetchHistory()
                    try expect(all.count >= size)
                    if let last = all.last { try store.container.deleteHistory(before: last) }
                    try store.context.deleteHistory(HistoryDescriptor())
                }
            },
            Scenario("save with history", .history, .constant, "ModelContext.save") { size in
                let store = try history(size)
                return {
                    store.context.insert(Member(number: -1))
                    try store.context.save()
                }
            },
            Scenario("a changeset", .history, .linear, "ModelContainer.changeset", "ModelContainer.apply") { size in
                let store = try history(size)
                let other = try GrownStore()
                return { try other.container.apply(try store.container.changeset(.all)) }
            },
        ]
    }

    private static func manyMembers(_ size: Int) throws -> (ModelContext, Owner) {
        let store = try GrownStore()
        try store.addOwners(1, membersEach: max(size, 8))
        let context = store.newContext
        guard let owner = try context.fetchFirst(Owner.all) else { throw Mistake(description: "There is no owner.") }
        return (context, owner)
    }

    /// A store that keeps its history, with one transaction for each object.
    private static func history(_ size: Int) throws -> GrownStore {
        let store = try GrownStore { $0.options.historyTracking = true }
        for number in 0..<size {
            store.context.insert(Member(number: Int64(number)))
            try store.context.save()
        }
        return store
    }
}
