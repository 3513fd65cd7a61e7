import AshlarSQLite
import Foundation
import SQLQuoting
import StoreDescription

/// What becomes of the fields of objects of one entity whose fields have the same names in the same order: found out once,
/// before there are millions.
final class LoadArrangement {
    /// Where a column's value comes from.
    enum Source {
        /// A field, or with a path what is within its composites.
        case value(field: Int, within: ArraySlice<String>, StoredEntity.Attribute)
        case one(field: Int, LoadedReference, column: String, Unordered?)
        case position(field: Int, relationship: String)
    }

    /// The references of an ordered relationship of which an object does not say its position.
    struct Unordered {
        /// The field with the position; nil where there is none.
        var field: Int?
        var column: OrderedColumn
    }

    let entity: String
    let table: String
    let numberField: Int?
    private(set) var sources: [Source] = []
    private(set) var pairs: [LoadedPairs] = []
    private(set) var inverses: [LoadedInverse] = []
    /// For each field, whether one without a text says nothing of the object: those that other entities have, and those of
    /// attributes that have no nil, for which the model may have a default.
    private(set) var isLeftToTheModel: [Bool]
    /// The fields that the entity does not know.
    private(set) var unknown: [Int] = []
    private var columns: [String] = []
    private let discriminator: String?
    private let connection: Connection
    private var whole: Statement?
    private var partial: [[Int]: Statement] = [:]

    init(
        _ entity: String, _ names: [String], _ version: ExchangedVersion, _ keys: ReferenceKeys,
        _ connection: Connection
    ) throws {
        self.entity = entity
        self.connection = connection
        table = version.line(entity).first?.table ?? entity
        discriminator = version.entity(entity)?.parent == nil ? nil : entity
        let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        numberField = places[ExchangedVersion.numberKey]
        isLeftToTheModel = []
        var known: Set<String> = [ExchangedVersion.entityKey, ExchangedVersion.numberKey]
        var optional: Set<String> = []
        for field in version.fields(of: entity, isRead: true) {
            known.insert(field.name)
            switch field {
            case .value(let path, let attribute):
                if let first = path.first { known.insert(first) }
                if attribute.isOptional || attribute.type == nil { optional.insert(attribute.keyPath) }
                if let place = places[attribute.keyPath] {
                    sources.append(.value(field: place, within: [], attribute))
                } else if let place = places[path[0]] {
                    sources.append(.value(field: place, within: path.dropFirst(), attribute))
                } else {
                    continue
                }
                columns.append(attribute.column)
            case .one(let relationship, let column, let order):
                let positionName = relationship.name + ExchangedVersion.orderSuffix
                if order != nil { known.insert(positionName) }
                if let place = places[relationship.name] {
                    let own = table
                    let unordered = order.map {
                        Unordered(
                            field: places[positionName], column: OrderedColumn(table: own, owner: column, order: $0))
                    }
                    let reference = try LoadedReference(relationship, of: entity, version, keys, connection)
                    sources.append(.one(field: place, reference, column: column, unordered))
                    columns.append(column)
                }
                if let order, let place = places[positionName] {
                    sources.append(.position(field: place, relationship: relationship.name))
                    columns.append(order)
                }
            case .many(let relationship, let table, let own, let other, let order):
                guard let place = places[relationship.name] else { continue }
                let reference = try LoadedReference(relationship, of: entity, version, keys, connection)
                pairs.append(
                    try LoadedPairs(
                        field: place, DumpedPairs(table: table, own: own, other: other, order: order), reference,
                        isOwnInverse: version.isOwnInverse(relationship),
                        otherOrder: version.orderOfPairs(inverseTo: relationship), connection))
            case .inverse(let relationship, let table, let column):
                guard let place = places[relationship.name] else { continue }
                inverses.append(
                    LoadedInverse(
                        field: place,
                        reference: try LoadedReference(relationship, of: entity, version, keys, connection),
                        update: try connection.prepare(
                            "UPDATE \(SQLQuotation.identifier(table)) SET \(SQLQuotation.identifier(column)) = ?1 "
                                + "WHERE \"id$\" = ?2")))
            }
        }
        isLeftToTheModel = names.map { !optional.contains($0) }
        unknown = names.indices.filter { !known.contains(names[$0]) }
    }

    /// The statement that inserts an object.
    ///
    /// - Parameter skipped: The sources without a value. Their columns get what the model says.
    func statement(hasNumber: Bool, skipping skipped: [Int]) throws -> Statement {
        if hasNumber, skipped.isEmpty {
            if let whole { return whole }
            let statement = try prepare(hasNumber: true, [])
            whole = statement
            return statement
        }
        let key = [hasNumber ? 1 : 0] + skipped
        if let known = partial[key] { return known }
        let statement = try prepare(hasNumber: hasNumber, Set(skipped))
        partial[key] = statement
        return statement
    }

    private func prepare(hasNumber: Bool, _ skipped: Set<Int>) throws -> Statement {
        var names = hasNumber ? ["id$"] : []
        names += columns.indices.filter { !skipped.contains($0) }.map { columns[$0] }
        var places = names.indices.map { "?\($0 + 1)" }
        if let discriminator {
            names.append("entity$")
            places.append(SQLQuotation.literal(discriminator))
        }
        let quoted = SQLQuotation.identifier(table)
        return try connection.prepare(
            names.isEmpty
                ? "INSERT INTO \(quoted) DEFAULT VALUES"
                : "INSERT INTO \(quoted) (\(names.map(SQLQuotation.identifier).joined(separator: ", "))) "
                    + "VALUES (\(places.joined(separator: ", ")))")
    }
}

/// The column of the positions among those that an object's ordered relationship leads to.
struct OrderedColumn: Hashable {
    var table: String
    var owner: String
    var order: String
    /// The columns that tell the rows of the table apart.
    var key = ["id$"]
}

/// How the objects are found that a relationship leads to: by their numbers, or by an attribute.
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

    /// What a value stands for.
    enum Target {
        /// The number of an object, or NULL.
        case number(SQLiteValue)
        /// What no object has yet by which they are found. One that comes later may.
        case missing(SQLiteValue)
    }

    /// The object that a value stands for.
    func target(of value: ExchangedValue, _ failure: (String) -> ExchangeError) throws -> Target {
        if value == .null { return .number(.null) }
        guard let key else {
            guard let number = value.stored(as: .integer64) else {
                throw failure("\(name) is no number of an object.")
            }
            return .number(number)
        }
        guard let wanted = value.stored(as: key.type) else {
            throw failure("\(name) is no value of \(destination).\(key.keyPath).")
        }
        return try number(having: wanted, failure).map { .number($0) } ?? .missing(wanted)
    }

    /// The number of the object that has a value by which objects are found, or the number that the value is; nil where none has it.
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

    /// Says that no object is what was asked for.
    var missing: String { "no object of \(destination) has the \(key?.keyPath ?? "number") that \(name) names." }
}

/// A reference to one object whose column refers back.
struct LoadedInverse {
    let field: Int
    let reference: LoadedReference
    /// Has the object of a number refer to another one.
    let update: Statement
}

/// How the pairs of a relationship to many are inserted.
struct LoadedPairs {
    let field: Int
    let reference: LoadedReference
    let hasOrder: Bool
    /// The positions that the other side has, which this one does not say.
    let otherOrder: OrderedColumn?
    let insertion: Statement
    /// What is said from one side holds from the other too, where both sides are one relationship.
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
