import Ashlar
import Foundation
import PlannedModel
import Synchronization

/// Changes, inserts and deletes objects of a store by hand, and undoes these changes.
///
/// All changes go through a context, and are saved like those of a program: the rules of the model for values, counts,
/// required and ordered relationships, deletion, inverses and uniqueness apply. A row that another program has changed
/// since is left as it is. Each change is one transaction, and the history names its author. Hooks and validation in
/// the program's classes do not run, because these classes are not available here.
///
/// A store whose schema differs from that of its model is not changed, because an added trigger would run.
@_spi(Studio) public final class StoreEditor: Sendable {
    /// The author of these changes in the store's history.
    public static let author = "ashlar-studio"

    private let browser: StoreBrowser
    private let state = Mutex(State())

    private struct State {
        var session: EditingSession?
        /// The models by the positions of their versions. A model that was made is kept for as long as the program
        /// runs.
        var models: [Int: any ManagedObjectModel.Type] = [:]
    }

    /// Changes the store of a browser.
    public init(_ browser: StoreBrowser) { self.browser = browser }

    /// The name of the next undo; nil if there is none.
    public var undoTitle: String? { state.withLock { $0.session?.undoTitle } }

    /// The name of the next redo; nil if there is none.
    public var redoTitle: String? { state.withLock { $0.session?.redoTitle } }

    // MARK: Changing

    /// A change of an object.
    public struct Change: Sendable, Hashable {
        /// The change of the property.
        public enum Kind: Sendable, Hashable {
            /// Sets the value of an attribute, or of a relationship to one object.
            case set
            /// Adds the object to a to-many relationship, or removes it.
            case add, remove
            /// Puts the listed members of an ordered relationship into this order. Other members keep their places.
            case place
        }

        public var property: String
        public var kind: Kind
        /// The value as text; nil for none. For a relationship, it is the object's number, or several numbers with
        /// commas between.
        public var value: String?

        public init(property: String, kind: Kind = .set, value: String?) {
            self.property = property
            self.kind = kind
            self.value = value
        }
    }

    /// A row as a page showed it.
    public struct Row: Sendable, Hashable {
        public var number: Int64
        /// The row's version, which every change replaces.
        public var version: Int64

        public init(_ number: Int64, version: Int64) {
            self.number = number
            self.version = version
        }
    }

    /// Changes an object.
    ///
    /// - Parameter version: The row's version that the changes are made for.
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func change(
        _ entity: String, _ number: Int64, version: Int64, _ changes: [Change]
    ) throws(BrowsingError) {
        try change(entity, [Row(number, version: version)], changes)
    }

    /// Changes several objects in the same way, in one transaction.
    ///
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func change(_ entity: String, _ rows: [Row], _ changes: [Change]) throws(BrowsingError) {
        try editing { session in
            let objects = try rows.map { try session.object(entity, $0.number, version: $0.version) }
            let properties = Self.names(changes.map(\.property))
            try session.perform("\(properties) of \(Self.name(objects, entity))") {
                for object in objects { try session.apply(changes, to: object) }
            }
        }
    }

    /// Makes an object.
    ///
    /// - Parameter values: The values that differ from the model's defaults.
    /// - Returns: The object's number.
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func insert(_ entity: String, _ values: [Change]) throws(BrowsingError) -> Int64 {
        try editing { session in
            var object: EditedObject?
            try session.perform("new \(entity)") { object = try session.insert(entity, values) }
            return object?.number ?? 0
        }
    }

    /// Deletes an object, and applies the deletion rules of its relationships.
    ///
    /// - Parameter version: The row's version that the page showed.
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func delete(_ entity: String, _ number: Int64, version: Int64) throws(BrowsingError) {
        try delete(entity, [Row(number, version: version)])
    }

    /// Deletes several objects in one transaction.
    ///
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func delete(_ entity: String, _ rows: [Row]) throws(BrowsingError) {
        try editing { session in
            let objects = try rows.map { try session.object(entity, $0.number, version: $0.version) }
            try session.perform("deletion of \(Self.name(objects, entity))") {
                for object in objects { session.delete(object) }
            }
        }
    }

    /// Returns the objects that a deletion would delete or change. Nothing is deleted.
    ///
    /// - Throws: ``BrowsingError``.
    public func consequences(ofDeleting entity: String, _ numbers: [Int64]) throws(BrowsingError)
        -> DeletionConsequences
    {
        try editing { try $0.consequences(entity, numbers) }
    }

    private static func name(_ objects: [EditedObject], _ entity: String) -> String {
        if objects.count == 1, let object = objects.first { return "\(object.entityName) \(object.number)" }
        return "\(objects.count) objects of \(entity)"
    }

    /// Names without repetitions, in their order.
    private static func names(_ names: [String]) -> String {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }.joined(separator: ", ")
    }

    /// Returns a new object with the model's defaults, to be filled in.
    ///
    /// - Throws: ``BrowsingError``.
    public func newObject(_ entity: String) throws(BrowsingError) -> BrowsedObject {
        try editing { try $0.newObject(entity) }
    }

    /// Undoes the last change. A deleted object comes back with another number.
    ///
    /// - Returns: The title of the change.
    /// - Throws: ``BrowsingError``, also if another program changed the same rows since; nothing can be undone then.
    @discardableResult
    public func undo() throws(BrowsingError) -> String {
        try stepping("undo") { session in
            guard let title = session.undoTitle else { return nil }
            try session.undo()
            return title
        }
    }

    /// Repeats the change that was undone last.
    ///
    /// - Returns: The title of the change.
    /// - Throws: ``BrowsingError``, also if another program changed the same rows since; nothing can be repeated then.
    @discardableResult
    public func redo() throws(BrowsingError) -> String {
        try stepping("redo") { session in
            guard let title = session.redoTitle else { return nil }
            try session.redo()
            return title
        }
    }

    private func stepping(
        _ name: String, _ body: (EditingSession) throws -> String?
    ) throws(BrowsingError) -> String {
        do {
            return try state.withLock { state in
                guard let session = state.session, let title = try body(session) else {
                    throw BrowsingError(.refused, "There is nothing to \(name).")
                }
                return title
            }
        } catch let error as BrowsingError {
            throw error
        } catch {
            // The objects in memory no longer match the store.
            state.withLock { $0.session = nil }
            throw EditingSession.reason(error)
        }
    }

    /// Runs a closure with an editing session. After a conflict with another program's changes, it runs the closure
    /// once more with a new session.
    private func editing<Result: Sendable>(_ body: (EditingSession) throws -> Result) throws(BrowsingError) -> Result {
        do {
            return try state.withLock { state in
                do {
                    return try body(Self.session(browser, &state))
                } catch SaveError.conflict {
                    state.session = nil
                    return try body(Self.session(browser, &state))
                }
            }
        } catch {
            throw EditingSession.reason(error)
        }
    }

    private static func session(_ browser: StoreBrowser, _ state: inout State) throws -> EditingSession {
        guard let version = try browser.read(doing: "reading its version", browser.version),
            let plan = browser.plan
        else { throw BrowsingError(.refused, "Only a store of a known version of its model is changed.") }
        if let session = state.session, session.isOf(browser.url, version) { return session }
        state.session = nil
        let model = state.models[version.index] ?? DescribedModel.type(of: plan, version: version.index)
        state.models[version.index] = model
        let session = try EditingSession(browser, version, model)
        state.session = session
        return session
    }
}
