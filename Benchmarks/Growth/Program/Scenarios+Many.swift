import Ashlar
import Foundation

extension Scenario {
    /// Scenarios that work on all objects.
    static func many() -> [Scenario] {
        [
            all("fetch all", "ModelContext.fetch") { try expect(try $0.fetch(Member.all).count >= $1) },
            all("fetch all, sorted", "FetchDescriptor.order") {
                try expect(try $0.fetch(Member.order { $0.title.ascending }).count >= $1)
            },
            all("skip many", "FetchDescriptor.offset") { _ = try $0.fetch(Member.all.offset($1 / 2).limit(1)) },
            all("enumerate", "ModelContext.enumerate", "ModelContext.enumerateValues") { context, size in
                var count = 0
                try context.enumerate(Member.all, batchSize: 100) { _ in count += 1 }
                try context.enumerateValues(Member.all, batchSize: 100) { _ in count += 1 }
                try expect(count >= 2 * size)
            },
            all("a collection in batches", "ModelContext.fetch") { context, size in
                var sum: Int64 = 0
                for member in try context.fetch(Member.all, batchSize: 100) { sum += member?.number ?? 0 }
                try expect(sum > 0 || size < 2)
            },
            all("groups", "FetchDescriptor.group", "PersistentModel.group", "GroupedFetch.select") {
                let groups: [(Int64, Int)] = try $0.fetch(Member.group { $0.kind }.select { ($0.kind, .count) })
                try expect(groups.count >= min(1, $1))
            },
            all("different values", "Projection.distinct", "PersistentModel.select") {
                try expect(try $0.fetch(Member.select { $0.kind }.distinct()).count >= min(1, $1))
            },
            all("members of all, forwards", "ModelContext.prefetch") { context, size in
                var count = 0
                for owner in try context.fetch(Owner.all) { count += owner.members.count }
                try expect(count >= size)
            },
            all("members of all, backwards", "ModelContext.prefetch") { context, size in
                var count = 0
                for owner in try context.fetch(Owner.all).reversed() {
                    for member in owner.members { count += Int(member.notes.count) + 1 }
                }
                try expect(count >= size)
            },
            all("owners of all members", "ModelContext.prefetch") { context, size in
                var sum: Int64 = 0
                for member in try context.fetch(Member.order { $0.number.descending }) {
                    sum += member.owner?.number ?? 0
                }
                try expect(sum > 0 || size < 2)
            },
            all("insert and save", "ModelContext.insert", "ModelContext.save") { context, size in
                for number in 0..<size { context.insert(Member(number: Int64(number))) }
                try context.save()
            },
            all("insert and undo", "ModelUndoManager.undo", "ModelUndoManager.redo") { context, size in
                let undo = ModelUndoManager()
                context.undoManager = undo
                for number in 0..<size { context.insert(Member(number: Int64(number))) }
                context.processPendingChanges()
                undo.undo()
                undo.redo()
            },
            all("change and save", "ModelContext.save") { context, size in
                for member in try context.fetch(Member.all) { member.title += "new" }
                try context.save()
            },
            all("change and roll back", "ModelContext.rollback") { context, _ in
                let members = try context.fetch(Member.all)
                for member in members { member.title += "new" }
                context.rollback()
                try expect(members.first?.title.hasSuffix("new") != true)
            },
            all("delete and save", "ModelContext.delete") { context, _ in
                for member in try context.fetch(Member.all) { context.delete(member) }
                try context.save()
                try expect(try !context.exists(Member.all))
            },
            all("delete and roll back", "ModelContext.rollback") { context, size in
                for owner in try context.fetch(Owner.all) { context.delete(owner) }
                context.rollback()
                try expect(try context.fetchCount(Owner.all) >= size)
            },
            all("move members between owners", "ModelContext.save") { context, _ in
                let owners = try context.fetch(Owner.order { $0.number.ascending })
                for (owner, other) in zip(owners, owners.dropFirst()) {
                    if let member = other.members.first { member.owner = owner }
                }
                try context.save()
            },
            all("refresh all", "ModelContext.refreshAllObjects", "ModelContext.reset") { context, _ in
                let members = try context.fetch(Member.all)
                try context.refreshAllObjects()
                try expect(members.first?.title != "")
                context.reset()
            },
            all("batches", "ModelContext.batchUpdate", "ModelContext.batchInsert", "ModelContext.batchDelete") {
                context, size in
                try context.batchInsert(contentsOf: (0..<size).map { Note.Values(number: Int64($0)) })
                try context.batchUpdate(Member.all) { $0.title = "new" }
                try context.batchDelete(Member.all)
            },
            all("an upsert", "ModelContext.batchInsert") { context, size in
                for _ in 0..<2 {
                    let tags = (0..<size).map { Tag.Values(name: "\($0)") }
                    try context.batchInsert(contentsOf: tags, onConflict: .update)
                }
            },
            all("a child's save", "ModelContext.save") { context, size in
                let child = ModelContext(parent: context)
                for number in 0..<size { child.insert(Member(number: Int64(number))) }
                try child.save()
                try context.save()
            },
            all("deletions beside an own batch", "ModelContext.batchDelete", "ModelContext.save") { context, _ in
                let members = try context.fetch(Member.all)
                for member in members { context.delete(member) }
                try context.batchUpdate(Owner.where { $0.number == 1 }) { $0.name = "new" }
                try context.save()
            },
            all("a list of all", "FetchedResultsController.performFetch") { context, size in
                let list = FetchedResultsController(Member.order { $0.number.ascending }, in: context)
                try list.performFetch()
                try expect(list.fetchedObjects.count >= size)
            },
        ]
    }

    /// A call in a new context of a store whose rows grow.
    private static func all(
        _ name: String, _ uses: String..., call: @escaping (ModelContext, Int) throws -> Void
    ) -> Scenario {
        Scenario("all: " + name, .rows, .linear, uses) { size in
            let store = try GrownStore()
            try store.addOwners(size)
            let context = store.newContext
            return { try call(context, size) }
        }
    }
}
