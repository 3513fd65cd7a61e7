import AshlarSQLite
import SQLQuoting
import StoreDescription

/// The way to find the objects of a relationship: by their numbers, or by an attribute.
struct LoadedReference {
    let name: String
    private let destination: String
    private let key: StoredEntity.Attribute?
    private let lookUp: Statement?

    init(
        _ relationship: StoredEntity.Relationship, of entity: String, _ version: ExchangedVersion,
        _ keys: ReferenceKeys, _ connection: Connection
    ) throws {
        name = "\(entity).\(relationship.name)"
        destination = relationship.destination
        guard let attribute = keys.attribute(for: destination, version),
            let table = version.line(destination).first?.table
        else {
            (key, lookUp) = (nil, nil)
            return
        }
        key = attribute
        let column = SQLQuotation.identifier(attribute.column)
        let condition = try DumpedRows.condition(destination, version)
        lookUp = try connection.prepare(
            "SELECT \"id$\" FROM (SELECT \"id$\", \(column) FROM \(SQLQuotation.identifier(table))\(condition)) "
                + "WHERE \(column) = ?1 LIMIT 2")
    }

    var isByNumber: Bool { key == nil }

    /// The meaning of a value.
    enum Target {
        /// The number of an object, or NULL.
        case number(SQLiteValue)
        /// A reference for which no object exists yet. A later one may match.
        case missing(SQLiteValue)
    }

    /// The object that a value stands for.
    func target(of value: ExchangedValue, _ failure: (String) -> ExchangeError) throws -> Target {
        if value == .null { return .number(.null) }
        guard let key else {
            guard let number = value.stored(as: .integer64) else {
                throw failure("\(name) is not the number of an object.")
            }
            return .number(number)
        }
        guard let wanted = value.stored(as: key.type) else {
            throw failure("\(name) is not a value of \(destination).\(key.keyPath).")
        }
        return try number(having: wanted, failure).map { .number($0) } ?? .missing(wanted)
    }

    /// The number of the object with the key's value, or the value itself if objects are found by number; nil if no
    /// object has it.
    func number(having wanted: SQLiteValue, _ failure: (String) -> ExchangeError) throws -> SQLiteValue? {
        guard let key, let lookUp else { return wanted }
        lookUp.reset()
        lookUp.bind([wanted])
        var found: [SQLiteValue] = []
        while try lookUp.step() { found += lookUp.values }
        if found.count > 1 {
            throw failure("more than one object of \(destination) has the \(key.keyPath) that \(name) names.")
        }
        return found.first
    }

    /// The message that the reference matches no object.
    var missing: String { "no object of \(destination) has the \(key?.keyPath ?? "number") that \(name) names." }
}

/// A reference to one object whose column refers back.
struct LoadedInverse {
    let field: Int
    let reference: LoadedReference
    /// Has the object of a number refer to another one.
    let update: Statement
}

/// The insertion of the pairs of a to-many relationship.
struct LoadedPairs {
    let field: Int
    let reference: LoadedReference
    let hasOrder: Bool
    /// The positions on the other side, which this side does not give.
    let otherOrder: OrderedColumn?
    let insertion: Statement
    /// The statement of the other side, if both sides are one relationship.
    let inverse: Statement?

    init(
        field: Int, _ pairs: DumpedPairs, _ reference: LoadedReference, isOwnInverse: Bool, otherOrder: String?,
        _ connection: Connection
    ) throws {
        self.field = field
        self.reference = reference
        self.otherOrder =
            isOwnInverse
            ? nil
            : otherOrder.map {
                OrderedColumn(table: pairs.table, owner: pairs.other, order: $0, key: [pairs.own, pairs.other])
            }
        hasOrder = pairs.order != nil
        let places = hasOrder ? "?1, ?2, ?3" : "?1, ?2"
        insertion = try connection.prepare(pairs.statementHead + places + pairs.statementTail)
        inverse =
            isOwnInverse
            ? try connection.prepare(pairs.statementHead + places + pairs.conflict + " DO NOTHING") : nil
    }
}
