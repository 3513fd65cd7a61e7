import Ashlar
import AshlarSQLite
import Foundation
import PlannedModel
import SQLQuoting
import StoreDescription

/// An object that is being changed.
struct EditedObject {
    /// The entity of the object itself.
    let entityName: String
    let object: any PersistentModel
    let description: EntityDescription
    /// Whether the object was never saved, so that the store has nothing of it.
    var isNew = false

    var number: Int64 { object.persistentModelID.rowID }
}

/// An open store with a context, which keeps the changes for undo and redo.
///
/// It is unchecked because a context may be used by one caller at a time. Requests come from any thread; the lock of
/// ``StoreEditor`` gives the session to one of them at a time.
final class EditingSession: @unchecked Sendable {
    let browser: StoreBrowser
    let version: BrowsedVersion
    /// The identity of the file. Another file of the same name has another identity.
    private let file: FileSystem.Identity?
    let container: ModelContainer
    let context: ModelContext
    let assembler: ObjectAssembler
    private let undoManager = ModelUndoManager()
    /// The number of undone changes that can be repeated. A refused change that was taken back can also be redone by
    /// the undo manager, and is not counted.
    private var undoneCount = 0
    private var performedCount = 0

    /// The number of members of a relationship that are changed one by one.
    static let memberLimit = 10_000

    init(_ browser: StoreBrowser, _ version: BrowsedVersion, _ model: any ManagedObjectModel.Type) throws {
        self.browser = browser
        self.version = version
        file = FileSystem.identity(ofFile: browser.url.path)
        container = try ModelContainer(
            for: model,
            configurations: ModelConfiguration(url: browser.url, options: StoreOptions(isUntrusted: true)))
        context = ModelContext(container)
        context.author = StoreEditor.author
        context.undoManager = undoManager
        assembler = try ObjectAssembler(context)
    }

    /// Returns whether the session still belongs to the file at a location and to its version. The file may have been
    /// replaced or migrated.
    func isOf(_ url: URL, _ version: BrowsedVersion) -> Bool {
        version.index == self.version.index && file != nil && FileSystem.identity(ofFile: url.path) == file
    }

    // MARK: Doing and undoing

    var undoTitle: String? { undoManager.canUndo ? Self.title(undoManager.undoActionName) : nil }

    var redoTitle: String? {
        undoneCount > 0 && undoManager.canRedo ? Self.title(undoManager.redoActionName) : nil
    }

    /// Runs a closure that changes objects, and saves them. Where that fails, all is as before.
    func perform(_ title: String, _ body: () throws -> Void) throws {
        performedCount += 1
        let name = "\(performedCount) \(title)"
        undoManager.setActionName(name)
        do {
            try body()
            try context.save()
            undoneCount = 0
        } catch {
            context.processPendingChanges()
            if undoManager.canUndo, undoManager.undoActionName == name {
                undoneCount = 0
                undoManager.undo()
                context.processPendingChanges()
            }
            // An error that was noted is not the next one's.
            if context.hasChanges { context.rollback() }
            throw error
        }
    }

    func undo() throws {
        undoManager.undo()
        try context.save()
        undoneCount += 1
    }

    func redo() throws {
        undoManager.redo()
        try context.save()
        undoneCount -= 1
    }

    private static func title(_ name: String) -> String {
        String(Substring(name.utf8.drop { $0 != UInt8(ascii: " ") }.dropFirst()))
    }

    // MARK: Objects

    /// An object whose row has a version.
    func object(_ entity: String, _ number: Int64, version expected: Int64) throws -> EditedObject {
        let found = try object(entity, number)
        // The context has read the row before this does, so that no change comes between.
        let table = SQLQuotation.identifier(version.table(of: entity))
        let rows = try browser.read(doing: "looking for changes") { connection in
            try connection.rows("SELECT \"version$\" FROM main.\(table) WHERE \"id$\" = ?1", [.integer(number)])
        }
        guard rows.first?.first == .integer(expected) else {
            throw BrowsingError(
                .refused, "Another program changed \(entity) \(number) after this page was loaded. Nothing was saved.")
        }
        return found
    }

    /// An object of an entity, or of one below it.
    func object(_ entity: String, _ number: Int64) throws -> EditedObject {
        let (own, identifier) = try identifier(entity, number)
        guard let description = container.model.entity(named: own) else {
            throw BrowsingError(.missing, "There is no object \(number) of \(entity).")
        }
        let object: any PersistentModel = try context.model(for: identifier)
        return EditedObject(entityName: own, object: object, description: description)
    }

    /// The object's own entity, and its identifier.
    func identifier(_ entity: String, _ number: Int64) throws -> (String, PersistentIdentifier) {
        let own = try browser.read(doing: "looking for the object \(number) of \(entity)") { connection in
            try StoreBrowser.entity(ofRow: number, entity, version, connection)
        }
        var components = URLComponents()
        components.scheme = "x-ashlar"
        components.host = container.storeIdentifier
        components.path = "/\(own)/p\(number)"
        guard let url = components.url, let identifier = PersistentIdentifier(uriRepresentation: url) else {
            throw BrowsingError(.missing, "There is no object \(number) of \(entity).")
        }
        return (own, identifier)
    }

    func insert(_ name: String, _ values: [StoreEditor.Change]) throws -> EditedObject {
        guard let entity = container.model.entity(named: name) else {
            throw BrowsingError(.missing, "The model has no entity \(name).")
        }
        if entity.isAbstract { throw BrowsingError(.refused, "\(name) is abstract, and has no objects of its own.") }
        var row = try assembler.defaultValues(of: entity)
        let attributes = version.attributes(of: name)
        for (attribute, value) in try stored(values, of: name) { row[try column(attribute, entity)] = value }
        let object: ManagedObject
        do {
            object = try assembler.insert(entity, row)
        } catch let error as ObjectAssembler.UnsuitableValue {
            let message = "\(error.property) has no value, and requires a value of type \(error.expected)."
            throw BrowsingError(.refused, "Nothing was saved: \(message)", fields: [error.property: message])
        }
        guard let model = object as? any PersistentModel else {
            throw BrowsingError(.refused, "\(name) has no objects.")
        }
        let edited = EditedObject(entityName: name, object: model, description: entity, isNew: true)
        try relate(values.filter { change in !attributes.contains { $0.keyPath == change.property } }, edited)
        return edited
    }

    func delete(_ object: EditedObject) { context.delete(object.object) }

    /// Returns the values to fill in for a new object.
    func newObject(_ name: String) throws -> BrowsedObject {
        guard let entity = container.model.entity(named: name) else {
            throw BrowsingError(.missing, "The model has no entity \(name).")
        }
        if entity.isAbstract { throw BrowsingError(.refused, "\(name) is abstract, and has no objects of its own.") }
        let row = try assembler.defaultValues(of: entity)
        var object = BrowsedObject(
            entity: name, number: 0, version: 0, label: nil, attributes: [], relationships: [])
        for attribute in version.attributes(of: name) {
            let value = row[try column(attribute, entity)]
            let editing = EditedValue(attribute, value, isWhole: true)
            guard editing.isPossible else { continue }
            let field = try browser.read(doing: "reading the values of \(attribute.keyPath)") { connection in
                try StoreBrowser.field(attribute, of: name, version, connection)
            }
            object.attributes.append(
                BrowsedObject.Attribute(
                    attribute, BrowsedValue(value, length: nil, type: attribute.type), editing, field))
        }
        for relationship in version.relationships(of: name) {
            object.relationships.append(BrowsedObject.Relationship(relationship, [], hasMore: false))
        }
        return object
    }
}
