import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import SQLQuoting
import StoreDescription
import Synchronization

/// Changes objects of a store by hand, and takes changes back.
///
/// There are no classes here, so that no context has the objects. What holds for a context's saving holds for a change here:
/// values are checked by the rules of the model with the runtime's own code, a row that somebody else changed meanwhile is
/// left as it is, the change is one transaction, and the history says who made it. What the store itself sees to, derived
/// values, indexes, references, constraints, its triggers do as ever. Objects are not made and not deleted, since what becomes
/// of others then is the runtime's to say.
@_spi(Studio) public final class StoreEditor: Sendable {
    /// What was done to an object.
    private struct Step {
        var entity: String
        var number: Int64
        /// The columns, with what was and what is in them.
        var columns: [(name: String, before: SQLiteValue, after: SQLiteValue)]
        /// What is said of it.
        var title: String

        var reversed: Step {
            var step = self
            step.columns = columns.map { ($0.name, $0.after, $0.before) }
            return step
        }
    }

    private struct Steps {
        var done: [Step] = []
        var undone: [Step] = []
    }

    /// The name that the history has for who changes a store here.
    public static let author = "ashlar-studio"

    private let browser: StoreBrowser
    private let steps = Mutex(Steps())

    /// Changes the store of a browser.
    public init(_ browser: StoreBrowser) { self.browser = browser }

    /// What the next undo takes back; nil where there is nothing.
    public var undoTitle: String? { steps.withLock { $0.done.last?.title } }

    /// What the next redo does again; nil where there is nothing.
    public var redoTitle: String? { steps.withLock { $0.undone.last?.title } }

    // MARK: Changing

    /// A change of an object.
    public struct Change: Sendable {
        /// The property, an attribute or a relationship to one object.
        public var property: String
        /// The value as text, of a relationship the number of the object; nil for none.
        public var value: String?

        public init(property: String, value: String?) {
            self.property = property
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
        try writing("changing the object \(number) of \(entity)") { connection, model in
            let own = try StoreBrowser.entity(ofRow: number, entity, model, connection)
            var new: [(String, SQLiteValue)] = []
            for change in changes { new.append(try Self.stored(change, own, model, connection)) }
            let names = new.map { SQLQuotation.identifier($0.0) }
            guard !names.isEmpty else { return nil }
            let table = SQLQuotation.identifier(model.table(of: own))
            let rows = try connection.rows(
                "SELECT \"version$\", \(names.joined(separator: ", ")) FROM main.\(table) WHERE \"id$\" = ?1",
                [.integer(number)])
            guard let row = rows.first, row[0] == .integer(version) else {
                throw BrowsingError(
                    .refused, "Somebody else changed the object \(number) of \(entity) meanwhile: look at it again.")
            }
            let columns = zip(new, row.dropFirst()).filter { $0.0.1 != $0.1 }.map { ($0.0.0, $0.1, $0.0.1) }
            guard !columns.isEmpty else { return nil }
            let properties = changes.map(\.property).joined(separator: ", ")
            let step = Step(
                entity: own, number: number, columns: columns.map { (name: $0.0, before: $0.1, after: $0.2) },
                title: "\(own) \(number): \(properties)")
            try Self.write(step, model, connection)
            return step
        } finish: { steps, step in
            guard let step else { return }
            steps.done.append(step)
            steps.undone = []
        }
    }

    /// Takes the last change back.
    ///
    /// - Throws: ``BrowsingError``, also where somebody else changed the same values since.
    public func undo() throws(BrowsingError) {
        guard let step = steps.withLock({ $0.done.last }) else {
            throw BrowsingError(.refused, "There is nothing to undo.")
        }
        try writing("undoing") { connection, model in
            try Self.write(step.reversed, model, connection)
            return step
        } finish: { steps, step in
            _ = steps.done.popLast()
            if let step { steps.undone.append(step) }
        }
    }

    /// Does again what was taken back last.
    ///
    /// - Throws: ``BrowsingError``, also where somebody else changed the same values since.
    public func redo() throws(BrowsingError) {
        guard let step = steps.withLock({ $0.undone.last }) else {
            throw BrowsingError(.refused, "There is nothing to redo.")
        }
        try writing("redoing") { connection, model in
            try Self.write(step, model, connection)
            return step
        } finish: { steps, step in
            _ = steps.undone.popLast()
            if let step { steps.done.append(step) }
        }
    }

    /// Runs a closure in a transaction that writes the store. There is one at a time.
    private func writing(
        _ action: String, _ body: (Connection, BrowsedVersion) throws -> Step?, finish: (inout Steps, Step?) -> Void
    ) throws(BrowsingError) {
        do {
            try steps.withLock { steps in
                do {
                    let connection = try Connection(toWrite: browser.url)
                    try connection.setDefensive(true)
                    try connection.setTrustsSchema(false)
                    try connection.execute("PRAGMA foreign_keys = ON")
                    let step = try connection.write(byAuthor: Self.author) {
                        guard let model = try browser.version(connection) else {
                            throw BrowsingError(.refused, "Only a store of a known version of its model is changed.")
                        }
                        return try body(connection, model)
                    }
                    finish(&steps, step)
                } catch let error as SQLiteError where error.code & 0xFF == SQLITE_CONSTRAINT {
                    throw BrowsingError(.refused, "The store does not allow it: \(error.message).")
                } catch let error as SQLiteError {
                    throw StoreError(error, browser.url, doing: action)
                }
            }
        } catch {
            throw BrowsingError.of(error)
        }
    }

    /// Writes a step, where the columns have what they had before it.
    private static func write(_ step: Step, _ model: BrowsedVersion, _ connection: Connection) throws {
        let table = SQLQuotation.identifier(model.table(of: step.entity))
        var (assignments, conditions): ([String], [String]) = (["\"version$\" = \"version$\" + 1"], [])
        var values: [SQLiteValue] = [.integer(step.number)]
        for (name, before, after) in step.columns {
            values += [before, after]
            conditions.append("\(SQLQuotation.identifier(name)) COLLATE BINARY IS ?\(values.count - 1)")
            assignments.append("\(SQLQuotation.identifier(name)) = ?\(values.count)")
        }
        let rows = try connection.rows(
            "UPDATE main.\(table) SET \(assignments.joined(separator: ", ")) WHERE \"id$\" = ?1 "
                + "AND \(conditions.joined(separator: " AND ")) RETURNING \"id$\"", values)
        if rows.isEmpty {
            throw BrowsingError(
                .refused, "Somebody else changed the object \(step.number) of \(step.entity) since, or deleted it.")
        }
    }

    // MARK: Checking

    /// The column of a change, and the value for it.
    private static func stored(
        _ change: Change, _ entity: String, _ model: BrowsedVersion, _ connection: Connection
    ) throws -> (String, SQLiteValue) {
        let name = "\(entity).\(change.property)"
        if let relationship = model.relationships(of: entity).first(where: { $0.name == change.property }) {
            guard canEdit(relationship, model), case .column(let column) = relationship.storage else {
                throw BrowsingError(.refused, "\(name) is not changed here.")
            }
            guard let text = change.value else {
                if relationship.isOptional { return (column, .null) }
                throw BrowsingError(.refused, "\(name) is required and has no value.")
            }
            guard let number = Int64(text) else {
                throw BrowsingError(.refused, "\(name) is the number of an object, which \"\(text)\" is not.")
            }
            do {
                _ = try StoreBrowser.entity(ofRow: number, relationship.destination, model, connection)
            } catch let error as BrowsingError {
                throw BrowsingError(.refused, error.description)
            }
            return (column, .integer(number))
        }
        guard let attribute = model.attributes(of: entity).first(where: { $0.keyPath == change.property }) else {
            throw BrowsingError(.missing, "\(entity) has no property \(change.property).")
        }
        guard EditedValue.canEdit(attribute) else { throw BrowsingError(.refused, "\(name) is not changed here.") }
        guard let text = change.value else {
            if attribute.isOptional { return (attribute.column, .null) }
            throw BrowsingError(.refused, "\(name) is required and has no value.")
        }
        guard let value = EditedValue.value(text, attribute.type) else {
            throw BrowsingError(
                .refused, "\(name) is of the type \(attribute.type?.rawValue ?? "?"), of which \"\(text)\" is no value."
            )
        }
        for rule in rules(of: attribute, entity, model)
        where !rule.isKept(by: value, isDecimal: attribute.type == .decimal) {
            throw BrowsingError(.refused, "\(name): \(text.prefix(100)) \(Self.text(rule)).")
        }
        return (attribute.column, value)
    }

    private static func rules(
        of attribute: StoredEntity.Attribute, _ entity: String, _ model: BrowsedVersion
    ) -> [ValidationRule] {
        for above in model.line(entity).reversed() {
            let declared = model.schema.graph.model.entities.first { $0.name == above.name }
            if let found = declared?.attributes.first(where: { $0.name == attribute.keyPath }) {
                return found.rules
            }
        }
        return []
    }

    private static func text(_ rule: ValidationRule) -> String {
        switch rule {
        case .minimum(let value): "is less than \(text(value))"
        case .maximum(let value): "is greater than \(text(value))"
        case .minimumLength(let count): "is shorter than \(count)"
        case .maximumLength(let count): "is longer than \(count)"
        case .pattern(let pattern): "does not match \(pattern)"
        }
    }

    private static func text(_ value: SQLiteValue) -> String {
        BrowsedValue(value, length: nil, type: nil, isModelled: false).text
    }

    /// Whether a relationship is one to one object that stands in a column, and which no other object's order or count of
    /// members depends on.
    static func canEdit(_ relationship: StoredEntity.Relationship, _ model: BrowsedVersion) -> Bool {
        guard case .column = relationship.storage, !relationship.isToMany else { return false }
        guard let name = relationship.inverse else { return true }
        guard let inverse = model.relationships(of: relationship.destination).first(where: { $0.name == name }),
            inverse.isToMany, !inverse.isOrdered
        else { return false }
        for above in model.line(relationship.destination) {
            let declared = model.schema.graph.model.entities.first { $0.name == above.name }
            guard let found = declared?.relationships.first(where: { $0.name == name }) else { continue }
            return found.minimumCount == 0 && found.maximumCount == 0 && found.isOptional
        }
        return false
    }
}
