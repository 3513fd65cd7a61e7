import Ashlar
import Foundation

extension Scenario {
    /// Fetches beside unsaved changes.
    static func pending() -> [Scenario] {
        [
            Scenario("count through a relationship beside an insertion", .rows, .constant, "ModelContext.fetchCount") {
                size in
                let store = try GrownStore()
                try store.addSteps(size)
                let context = store.newContext
                context.insert(Step(number: 1))
                return {
                    let count = try context.fetchCount(Step.where { $0.number == 3 && $0.next.isEmpty })
                    try expect(count == 0)
                }
            },
            Scenario("fetch through a relationship beside a change of its end", .rows, .constant, "ModelContext.fetch")
            {
                size in
                let store = try GrownStore()
                try store.addOwners(size)
                let context = store.newContext
                try context.fetchFirst(Owner.where { $0.number == 3 })?.name = "new"
                return {
                    let found = try context.fetch(Member.where { $0.number == 3 && $0.owner.name == "new" })
                    try expect(found.map(\.number) == [3])
                }
            },
            Scenario("fetch by a reference beside a deletion", .rows, .constant, "ModelContext.fetch") { size in
                let store = try GrownStore()
                try store.addOwners(size)
                let context = store.newContext
                let owner = try context.fetchFirst(Owner.where { $0.number == 3 })
                if let other = try context.fetchFirst(Owner.where { $0.number == 4 }) { context.delete(other) }
                return { try expect(try context.fetch(Member.where { $0.owner == owner }).count == 1) }
            },
            // Each fetch evaluates all changed objects in memory, because any of them may match.
            Scenario(
                "questions through a relationship of each of many changed objects", .pending, .quadratic,
                "ModelContext.save"
            ) {
                size in
                let store = try GrownStore()
                let steps = try store.addSteps(size)
                let context = store.context
                for step in steps { step.number += 1 }
                return {
                    // One fetch for each object, as a validation does it.
                    for step in steps {
                        let number = step.number
                        _ = try context.fetchCount(Step.where { $0.number == number && $0.next.isEmpty })
                    }
                }
            },
        ]
    }

    /// Deletions that delete others too.
    static func deletions() -> [Scenario] {
        [
            Scenario("delete owners with members, made here", .rows, .linear, "ModelContext.delete") { size in
                let store = try GrownStore()
                let owners = try store.addOwners(size)
                return {
                    for owner in owners { store.context.delete(owner) }
                }
            },
            Scenario("save the deletion of owners with members", .rows, .linear, "ModelContext.save") { size in
                let store = try GrownStore()
                let owners = try store.addOwners(size)
                for owner in owners { store.context.delete(owner) }
                return { try store.context.save() }
            },
            Scenario("delete owners of three levels, fetched", .rows, .linear, "ModelContext.delete") { size in
                let store = try GrownStore()
                try store.addOwners(size, membersEach: 2, notesEach: 1)
                let context = store.newContext
                let owners = try context.fetch(Owner.all)
                return {
                    for owner in owners { context.delete(owner) }
                }
            },
            Scenario("delete one owner of three levels", .members, .linear, "ModelContext.delete") { size in
                let store = try GrownStore()
                try store.addOwners(1, membersEach: size, notesEach: 1)
                let context = store.newContext
                let owner = try context.fetchFirst(Owner.all)
                return {
                    if let owner { context.delete(owner) }
                    let rest = try context.fetchCount(Member.all)
                    try expect(rest == 0)
                }
            },
        ]
    }
}
