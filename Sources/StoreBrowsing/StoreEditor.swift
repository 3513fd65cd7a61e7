import Ashlar
import Foundation
import PlannedModel
import Synchronization

/// Changes objects of a store by hand, makes and deletes them, and takes back what was done.
///
/// All goes through a context of the runtime, so that what holds for a program's saving holds here: the model's rules for
/// values, required relationships and counts, deletion rules, inverses, orders, uniqueness, large values; a row that somebody
/// else changed meanwhile is left as it is; what is done at once is one transaction, of which the history says who did it. The
/// program's classes are not known here, so that their hooks and validation do not run.
///
/// A store whose schema is not the one that its model gives it is not changed: a trigger that somebody added would run.
@_spi(Studio) public final class StoreEditor: Sendable {
    /// The name that the history has for who changes a store here.
    public static let author = "ashlar-studio"

    private let browser: StoreBrowser
    private let state = Mutex(State())

    private struct State {
        var session: EditingSession?
        /// The models by the positions of their versions: what is made for one stays for as long as the program runs.
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
            /// It has the value from now on: an attribute, or a relationship to one object.
            case set
            /// The object is a member of the relationship to many from now on, or is none any more.
            case add, remove
        }

        public var property: String
        public var kind: Kind
        /// The value as text, of a relationship the number of the object; nil for none.
        public var value: String?

        public init(property: String, kind: Kind = .set, value: String?) {
            self.property = property
            self.kind = kind
            self.value = value
        }
    }

    /// Changes an object.
    ///
    /// - Parameter version: The row's version that the changes are made for.
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func change(
        _ entity: String, _ number: Int64, version: Int64, _ changes: [Change]
    ) throws(BrowsingError) {
        try editing { session in
            let object = try session.object(entity, number, version: version)
            let properties = changes.map(\.property).joined(separator: ", ")
            try session.perform("\(object.entityName) \(number): \(properties)") {
                for change in changes { try session.apply(change, to: object) }
            }
        }
    }

    /// Makes an object.
    ///
    /// - Parameter values: What differs from the model's defaults.
    /// - Returns: The object's number.
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func insert(_ entity: String, _ values: [Change]) throws(BrowsingError) -> Int64 {
        try editing { session in
            var object: EditedObject?
            try session.perform("a new \(entity)") { object = try session.insert(entity, values) }
            return object?.number ?? 0
        }
    }

    /// Deletes an object, and does with others what the deletion rules of its relationships say.
    ///
    /// - Parameter version: The row's version that somebody saw who wants it to go.
    /// - Throws: ``BrowsingError``; the store is as it was then.
    public func delete(_ entity: String, _ number: Int64, version: Int64) throws(BrowsingError) {
        try editing { session in
            let object = try session.object(entity, number, version: version)
            try session.perform("\(object.entityName) \(number) deleted") { session.delete(object) }
        }
    }

    /// An object as it is before anybody says a value: what somebody fills in who makes one.
    ///
    /// - Throws: ``BrowsingError``.
    public func newObject(_ entity: String) throws(BrowsingError) -> BrowsedObject {
        try editing { try $0.newObject(entity) }
    }

    /// Takes the last change back. An object that was deleted comes back with another number.
    ///
    /// - Throws: ``BrowsingError``, also where somebody else changed the same rows since; nothing can be taken back then.
    public func undo() throws(BrowsingError) {
        try stepping("undo") { session in
            if session.undoTitle == nil { return false }
            try session.undo()
            return true
        }
    }

    /// Does again what was taken back last.
    ///
    /// - Throws: ``BrowsingError``, also where somebody else changed the same rows since; nothing can be done again then.
    public func redo() throws(BrowsingError) {
        try stepping("redo") { session in
            if session.redoTitle == nil { return false }
            try session.redo()
            return true
        }
    }

    private func stepping(
        _ name: String, _ body: (EditingSession) throws -> Bool
    ) throws(BrowsingError) {
        do {
            try state.withLock { state in
                guard let session = state.session, try body(session) else {
                    throw BrowsingError(.refused, "There is nothing to \(name).")
                }
            }
        } catch let error as BrowsingError {
            throw error
        } catch {
            // What is in memory is not what is in the store any more.
            state.withLock { $0.session = nil }
            throw EditingSession.reason(error)
        }
    }

    /// Runs a closure with what changes the store; once more where somebody else's changes made what is known of it old.
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
        guard let version = try browser.read(doing: "looking which version it is", browser.version),
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
