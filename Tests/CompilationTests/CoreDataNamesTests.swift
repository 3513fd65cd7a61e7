import Foundation
import Testing

/// Core Data's names for members that have other names in Ashlar: the compiler's error gives the name to use.
@Suite(Compiler.condition) struct CoreDataNamesTests {
    private static let model = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Trip"><attribute name="title" attributeType="String"/>
        <attribute name="objectID" optional="YES" attributeType="String"/></entity>
        <entity name="Item"><attribute name="count" attributeType="Integer 64" defaultValueString="0"/></entity>
        </model>
        """

    /// A line of Core Data code, and the compiler's answer.
    private static let lines: [(code: String, answer: String)] = [
        ("_ = container.viewContext", "mainContext"),
        ("_ = container.managedObjectModel", "model"),
        ("_ = container.persistentStoreDescriptions", "configurations"),
        ("_ = container.persistentStoreCoordinator", "The container replaces"),
        ("container.loadPersistentStores { _, _ in }", "The initialiser opens"),
        ("_ = try context.existingObject(with: identifier)", "model(for:)"),
        ("_ = context.object(with: identifier)", "model(for:)"),
        ("_ = context.registeredObject(for: identifier)", "registeredModel(for:)"),
        ("_ = try context.count(for: descriptor)", "fetchCount(_:)"),
        ("_ = context.insertedObjects", "insertedModelsArray"),
        ("_ = context.updatedObjects", "changedModelsArray"),
        ("_ = context.deletedObjects", "deletedModelsArray"),
        ("context.transactionAuthor = nil", "author"),
        ("_ = context.persistentStoreCoordinator", "container"),
        ("try context.setQueryGenerationFrom(nil)", "setQueryGeneration(from:)"),
        ("try context.obtainPermanentIDs(for: [item])", "obtainPermanentIdentifiers(for:)"),
        ("context.stalenessInterval = 0", "A fetch reads the store each time"),
        ("context.shouldDeleteInaccessibleFaults = true", "There are no faults"),
        ("_ = Item(context: context)", "context.insert(object)"),
        ("_ = item.objectID", "persistentModelID"),
        ("_ = item.managedObjectContext", "modelContext"),
        ("_ = item.isFault", "There are no faults"),
        ("_ = item.isUpdated", "hasChanges"),
        ("_ = item.value(forKey: \"count\")", "value(forKeyPath:)"),
        ("item.setValue(1, forKey: \"count\")", "setValue(_:forKeyPath:)"),
        ("_ = item.primitiveValue(forKey: \"count\")", "read the property itself"),
        ("item.willChangeValue(forKey: \"count\")", "Generated setters"),
        ("item.didChangeValue(forKey: \"count\")", "Generated setters"),
        ("try item.validateForInsert()", "ValidatedModel"),
        ("try item.validateForUpdate()", "ValidatedModel"),
        ("_ = Item.fetchRequest()", "Trip.where"),
        ("descriptor.sortDescriptors = []", "sortBy"),
        ("descriptor.fetchBatchSize = 20", "batchSize: 100"),
        ("_ = descriptor.includesPendingChanges", "includePendingChanges"),
        ("_ = descriptor.returnsObjectsAsFaults", "There are no faults"),
        ("_ = descriptor.includesPropertyValues", "fetchIdentifiers(_:)"),
        ("_ = descriptor.returnsDistinctResults", "distinct()"),
        ("_ = descriptor.propertiesToGroupBy", "group(_:)"),
        ("_ = descriptor.havingPredicate", "having(_:)"),
        ("_ = descriptor.resultType", "Each kind of result"),
        ("_ = descriptor.shouldRefreshRefetchedObjects", "up to date, always"),
        ("_ = NSManagedObjectContext.self", "ModelContext"),
        ("_ = NSPersistentContainer.self", "ModelContainer"),
        ("_ = NSFetchRequest<Item>.self", "FetchDescriptor"),
        ("_ = NSBatchDeleteRequest<Item>.self", "BatchDeleteRequest"),
        ("_ = NSManagedObjectID.self", "PersistentIdentifier"),
        ("_ = NSBatchInsertRequest.self", "batchInsert"),
    ]

    @Test func eachIsAnswered() throws {
        let folder = try GenerationFolder()
        var program = """
            import Ashlar
            import AshlarCoreData
            import Foundation

            func use(
                _ container: ModelContainer, _ context: ModelContext, _ identifier: PersistentIdentifier, _ item: Item,
                _ descriptor: inout FetchDescriptor<Item>
            ) throws {

            """
        let first = program.split(separator: "\n", omittingEmptySubsequences: false).count
        program += Self.lines.map(\.code).joined(separator: "\n") + "\n}\n"
        let files = try folder.generate(Self.model) + [try folder.write(program, to: "Use.swift")]
        let complaints = try Compiler.complaints(about: files).split(separator: "\n")
        for (index, line) in Self.lines.enumerated() {
            let answers = complaints.filter { $0.contains("Use.swift:\(first + index):") && $0.contains(" error: ") }
            #expect(answers.contains { $0.contains(line.answer) }, "\(line.code): \(answers)")
        }
    }

    /// A model may have a property with such a name, which takes precedence.
    @Test func aPropertyOfTheNameIsUsed() throws {
        let folder = try GenerationFolder()
        let program = try folder.write("func name(_ trip: Trip) -> String? { trip.objectID }\n", to: "Use.swift")
        let complaints = try Compiler.complaints(about: try folder.generate(Self.model) + [program])
        #expect(complaints.isEmpty, "\(complaints.prefix(2000))")
    }
}
