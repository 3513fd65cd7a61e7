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

    var number: Int64 { object.persistentModelID.rowID }
}

/// An open store with a context, which remembers what was done.
///
/// It is unchecked, as a context belongs to whoever calls it: requests come from any thread, and one at a time has the session,
/// which the lock of ``StoreEditor`` sees to and hands to nobody else.
final class EditingSession: @unchecked Sendable {
    private let browser: StoreBrowser
    private let version: BrowsedVersion
    /// Which file it is of: another one of the same name has another identity.
    private let file: FileSystem.Identity?
    private let container: ModelContainer
    private let context: ModelContext
    private let assembler: ObjectAssembler
    private let undoManager = ModelUndoManager()
    /// How many of the groups that can be done again were not refused the first time.
    private var undoneCount = 0
    private var performedCount = 0

    /// As many members of a relationship are changed one by one.
    private static let memberLimit = 10_000

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

    /// Returns whether the session is of a file that is at a place, and of its version: it may have been replaced, or
    /// migrated.
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
                .refused, "Somebody else changed the object \(number) of \(entity) meanwhile: look at it again.")
        }
        return found
    }

    /// An object of an entity, or of one below it.
    private func object(_ entity: String, _ number: Int64) throws -> EditedObject {
        let own = try browser.read(doing: "looking for the object \(number) of \(entity)") { connection in
            try StoreBrowser.entity(ofRow: number, entity, version, connection)
        }
        var components = URLComponents()
        components.scheme = "x-ashlar"
        components.host = container.storeIdentifier
        components.path = "/\(own)/p\(number)"
        guard let url = components.url, let identifier = PersistentIdentifier(uriRepresentation: url),
            let description = container.model.entity(named: own)
        else { throw BrowsingError(.missing, "There is no object \(number) of \(entity).") }
        let object: any PersistentModel = try context.model(for: identifier)
        return EditedObject(entityName: own, object: object, description: description)
    }

    func insert(_ name: String, _ values: [StoreEditor.Change]) throws -> EditedObject {
        guard let entity = container.model.entity(named: name) else {
            throw BrowsingError(.missing, "The model has no entity \(name).")
        }
        if entity.isAbstract { throw BrowsingError(.refused, "\(name) is abstract, and has no objects of its own.") }
        var row = try assembler.defaultValues(of: entity)
        let attributes = version.attributes(of: name)
        for change in values {
            guard let attribute = attributes.first(where: { $0.keyPath == change.property }) else { continue }
            row[try column(attribute, entity)] = try stored(change.value, attribute, name)
        }
        let object: ManagedObject
        do {
            object = try assembler.insert(entity, row)
        } catch let error as ObjectAssembler.UnsuitableValue {
            throw BrowsingError(.refused, "\(name).\(error.property) has no value, and needs one of \(error.expected).")
        }
        guard let model = object as? any PersistentModel else {
            throw BrowsingError(.refused, "\(name) has no objects.")
        }
        let edited = EditedObject(entityName: name, object: model, description: entity)
        for change in values where !attributes.contains(where: { $0.keyPath == change.property }) {
            try apply(change, to: edited)
        }
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
            let editing = EditedValue(attribute, row[try column(attribute, entity)], isWhole: true)
            if editing.isPossible {
                object.attributes.append(
                    BrowsedObject.Attribute(
                        attribute, BrowsedValue(row[try column(attribute, entity)], length: nil, type: attribute.type),
                        editing))
            }
        }
        for relationship in version.relationships(of: name) where !relationship.isToMany {
            object.relationships.append(BrowsedObject.Relationship(relationship, [], hasMore: false))
        }
        return object
    }

    // MARK: Properties

    func apply(_ change: StoreEditor.Change, to object: EditedObject) throws {
        let name = object.entityName
        if let relationship = version.relationships(of: name).first(where: { $0.name == change.property }) {
            return try apply(change, to: object, relationship)
        }
        guard let attribute = version.attributes(of: name).first(where: { $0.keyPath == change.property }),
            change.kind == .set
        else { throw BrowsingError(.missing, "\(name) has no such property \(change.property).") }
        let value = try stored(change.value, attribute, name)
        guard DescribedModel.set(value, try column(attribute, object.description), of: object.object) else {
            throw BrowsingError(.refused, "\(name).\(change.property) is required and has no value.")
        }
    }

    /// The position of an attribute's column.
    private func column(_ attribute: StoredEntity.Attribute, _ entity: EntityDescription) throws -> Int {
        guard let found = entity.columns.firstIndex(where: { $0.name == attribute.column }) else {
            throw BrowsingError(.missing, "\(entity.name) has no property \(attribute.keyPath).")
        }
        return found
    }

    /// Returns the stored form of a text as a value of an attribute.
    private func stored(_ text: String?, _ attribute: StoredEntity.Attribute, _ entity: String) throws -> SQLiteValue {
        let name = "\(entity).\(attribute.keyPath)"
        guard EditedValue.canEdit(attribute) else { throw BrowsingError(.refused, "\(name) is not changed here.") }
        guard let text else {
            if attribute.isOptional { return .null }
            throw BrowsingError(.refused, "\(name) is required and has no value.")
        }
        guard let value = EditedValue.value(text, attribute.type) else {
            throw BrowsingError(
                .refused, "\(name) is of the type \(attribute.type?.rawValue ?? "?"), of which \"\(text)\" is no value."
            )
        }
        return value
    }

    private func apply(
        _ change: StoreEditor.Change, to object: EditedObject, _ relationship: StoredEntity.Relationship
    ) throws {
        let name = "\(object.entityName).\(change.property)"
        guard let position = object.description.relationships.firstIndex(where: { $0.name == change.property }),
            relationship.isToMany == (change.kind != .set)
        else { throw BrowsingError(.refused, "\(name) is not changed so.") }
        guard let text = change.value else {
            if relationship.isToMany { throw BrowsingError(.refused, "\(name): no object is named.") }
            return assembler.setTarget(nil, of: object.object, position)
        }
        guard let number = Int64(text) else {
            throw BrowsingError(.refused, "\(name) is the number of an object, which \"\(text)\" is not.")
        }
        let target: EditedObject
        do {
            target = try self.object(relationship.destination, number)
        } catch let error as BrowsingError where error.kind == .missing {
            throw BrowsingError(.refused, error.description)
        }
        if !relationship.isToMany { return assembler.setTarget(target.object, of: object.object, position) }
        var members = try self.members(relationship, of: object)
        members.removeAll { $0 == number }
        if change.kind == .add { members.append(number) }
        let objects = try members.map { try self.object(relationship.destination, $0).object }
        assembler.setMembers(objects, of: object.object, position)
    }

    /// The members of a relationship to many as they are stored.
    private func members(_ relationship: StoredEntity.Relationship, of object: EditedObject) throws -> [Int64] {
        let numbers = try browser.read(doing: "reading \(relationship.name)") { connection in
            try StoreBrowser.numbers(
                relationship, of: object.number, version, connection, limit: Self.memberLimit + 1)
        }
        if numbers.count > Self.memberLimit {
            throw BrowsingError(
                .refused,
                "\(object.entityName).\(relationship.name) leads to too many objects: change it at the other side.")
        }
        return numbers
    }
}
