import Ashlar
import AshlarCoreData
import Foundation

extension Scenario {
    /// Scenarios that work on one object or a few, among any number of others.
    static func objects() -> [Scenario] {
        [
            one("fetch by an index", "ModelContext.fetch", "FetchDescriptor.`where`", "PersistentModel.`where`") {
                try expect(try $0.fetch(Member.where { $0.number == 5 }).count == 1)
            },
            one("fetch by a format", "FetchDescriptor.`where`") {
                try expect(try $0.fetch(FetchDescriptor<Member>(format: "number == 5")).count == 1)
            },
            one("fetch by a predicate") {
                let predicate = #Predicate<Member> { $0.number == 5 }
                try expect(try $0.fetch(FetchDescriptor(predicate: predicate)).count == 1)
            },
            one("fetch by the name of an entity", "ModelContext.fetch") {
                try expect(try $0.fetch(entityNamed: "Member", format: "number == 5").count == 1)
            },
            one("count by an index", "ModelContext.fetchCount") {
                try expect(try $0.fetchCount(Member.where { $0.number == 5 }) == 1)
            },
            one("existence", "ModelContext.exists") { try expect(try $0.exists(Member.where { $0.kind == 0 })) },
            one("first of an order", "ModelContext.fetchFirst", "FetchDescriptor.order", "PersistentModel.order") {
                try expect(try $0.fetchFirst(Member.order { $0.number.descending }) != nil)
            },
            one("identifiers by an index", "ModelContext.fetchIdentifiers") {
                try expect(try $0.fetchIdentifiers(Member.where { $0.number == 5 }).count == 1)
            },
            one("values by an index", "ModelContext.fetchValues") {
                try expect(try $0.fetchValues(Member.where { $0.number == 5 }).count == 1)
            },
            one("lent rows by an index", "ModelContext.forEachRow") {
                var count = 0
                try $0.forEachRow(Member.where { $0.number == 5 }) { _ in count += 1 }
                try expect(count == 1)
            },
            one("dictionaries by an index", "ModelContext.fetchDictionaries") {
                let rows = try $0.fetchDictionaries(Member.where { $0.number == 5 }, properties: ["title"])
                try expect(rows.count == 1)
            },
            one("a selected value by an index", "FetchDescriptor.select", "Projection.limit", "ModelContext.fetchFirst")
            {
                let title = try $0.fetchFirst(Member.where { $0.number == 5 }.select { $0.title }.limit(1))
                try expect(title != nil)
            },
            one("a page of values beside an insertion", "Projection.limit", "FetchDescriptor.select") {
                $0.insert(Member(number: -1))
                try expect(try $0.fetch(Member.order { $0.number.ascending }.limit(20).select { $0.title }).count == 20)
            },
            one("a page of an order", "FetchDescriptor.limit", "FetchDescriptor.page") { context in
                let descriptor = Member.order { $0.number.ascending }.limit(20)
                let first = try context.fetch(descriptor)
                try expect(try context.fetch(descriptor.page(after: first.last)).count == 20)
            },
            one("rows of an order with ties, a page", "FetchDescriptor.order") {
                try expect(try $0.fetch(Member.order { $0.kind.ascending }.limit(20)).count == 20)
            },
            one("a chosen index", "FetchDescriptor.indexed", "FetchDescriptor.notIndexed", "ModelContext.queryPlan") {
                _ = try $0.queryPlan(of: Member.where { $0.number == 5 })
                _ = try Member.where { $0.number == 5 }.explain(in: $0)
            },
            one("an object of an identifier", "ModelContext.model", "ModelContext.registeredModel") { context in
                guard let found = try context.fetchIdentifiers(Member.where { $0.number == 5 }).first else { return }
                let member: Member = try context.model(for: found)
                let known: Member? = context.registeredModel(for: found)
                try expect(known === member)
            },
            one("relationships of one object", "ModelContext.prefetch", "FetchDescriptor.prefetch") { context in
                let found = try context.fetch(Member.where { $0.number == 5 }.prefetch { $0.notes })
                try context.prefetch({ $0.owner }, of: found)
                try expect(found.first?.owner != nil)
            },
            one("insert and save", "ModelContext.insert", "ModelContext.save") {
                $0.insert(Member(number: -1))
                try $0.save()
            },
            one("change and save", "ModelContext.save", "ModelContext.processPendingChanges") {
                try $0.fetchFirst(Member.where { $0.number == 5 })?.title = "new"
                $0.processPendingChanges()
                try $0.save()
            },
            one("delete and save", "ModelContext.delete", "ModelContext.save") {
                if let owner = try $0.fetchFirst(Owner.where { $0.number == 5 }) { $0.delete(owner) }
                try $0.save()
            },
            one(
                "touch, rely on, refresh and save", "ModelContext.touch", "ModelContext.detectConflicts",
                "ModelContext.refresh"
            ) { context in
                guard let member = try context.fetchFirst(Member.where { $0.number == 5 }) else { return }
                context.touch(member)
                context.detectConflicts(for: member)
                try context.save()
                try context.refresh(member)
            },
            one("permanent identifiers, and back", "ModelContext.obtainPermanentIdentifiers", "ModelContext.rollback") {
                let member = Member(number: -1)
                $0.insert(member)
                try $0.obtainPermanentIdentifiers(for: [member])
                $0.rollback()
            },
            one("a transaction", "ModelContext.transaction") { context in
                try context.transaction { context.insert(Member(number: -1)) }
            },
            one("a query generation", "ModelContext.withQueryGeneration", "ModelContext.setQueryGeneration") {
                context in
                try context.withQueryGeneration { _ = try context.fetchCount(Member.where { $0.number == 5 }) }
                try context.setQueryGeneration(from: nil)
            },
            one(
                "values by key paths", "PersistentModel.value", "PersistentModel.setValue",
                "PersistentModel.primitiveValue",
                "PersistentModel.setPrimitiveValue"
            ) { context in
                guard let member = try context.fetchFirst(Member.where { $0.number == 5 }) else { return }
                try member.setValue("new", forKeyPath: "title")
                try expect(try member.value(forKeyPath: "title") as? String == "new")
                member.setPrimitiveValue("newer", for: \.title)
                try expect(member.primitiveValue(for: \.title) == "newer")
            },
            one(
                "batches of one row", "ModelContext.batchUpdate", "ModelContext.batchDelete", "ModelContext.batchInsert"
            ) {
                try $0.batchUpdate(Member.where { $0.number == 5 }) { $0.title = "new" }
                try $0.batchDelete(Member.where { $0.number == 6 })
                try $0.batchInsert(contentsOf: [Note.Values(number: -1)])
            },
            one("delete where", "ModelContext.delete") {
                try $0.delete(model: Member.self, where: #Predicate { $0.number == 5 })
                try $0.save()
            },
            one("metadata", "ModelContainer.metadata", "ModelContainer.setMetadata", "ModelContainer.store") {
                try $0.container.setMetadata(.string("value"), forKey: "key")
                _ = try $0.container.metadata()
                _ = $0.container.store(of: Member.self)
            },
            one("two contexts, one object saved", "ModelContext.mergeChanges") { context in
                let other = ModelContext(context.container)
                let member = try other.fetchFirst(Member.where { $0.number == 5 })
                try context.fetchFirst(Member.where { $0.number == 5 })?.title = "new"
                try context.save()
                if let member { try other.refresh(member) }
                try expect(member?.title == "new")
            },
            one("a child's save", "ModelContext.save") { context in
                let child = ModelContext(parent: context)
                try child.fetchFirst(Member.where { $0.number == 5 })?.title = "new"
                child.insert(Member(number: -1))
                try child.save()
            },
        ]
    }

    /// A call in a new context of a store whose rows grow.
    private static func one(
        _ name: String, _ uses: String..., call: @escaping (ModelContext) throws -> Void
    ) -> Scenario {
        Scenario(name, .rows, .constant, uses) { size in
            let store = try GrownStore()
            try store.addOwners(max(size, 40))
            let context = store.newContext
            return { try call(context) }
        }
    }
}
