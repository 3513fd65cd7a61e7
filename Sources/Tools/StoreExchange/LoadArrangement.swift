import AshlarSQLite
import Foundation
import SQLQuoting
import StoreDescription

/// The treatment of the fields of objects of one entity with the same names in the same order, which is determined once
/// for millions of objects.
final class LoadArrangement {
    /// The source of a column's value.
    enum Source {
        /// A field or, with a path, a value within its composites.
        case value(field: Int, within: ArraySlice<String>, StoredEntity.Attribute)
        case one(field: Int, LoadedReference, column: String, Unordered?)
        case position(field: Int, relationship: String)
    }

    /// The references of an ordered relationship for which an object gives no position.
    struct Unordered {
        /// The field with the position; nil if there is none.
        var field: Int?
        var column: OrderedColumn
    }

    let entity: String
    let table: String
    let numberField: Int?
    private(set) var sources: [Source] = []
    private(set) var pairs: [LoadedPairs] = []
    private(set) var inverses: [LoadedInverse] = []
    /// For each field, whether one without a text leaves the value to the model. These are the fields of other
    /// entities, and those of attributes that cannot be nil, for which the model may have a default.
    private(set) var isLeftToTheModel: [Bool]
    /// The fields that the entity does not have.
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
    /// - Parameter skipped: The sources without a value. Their columns get the model's defaults.
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
    /// The columns that identify the rows of the table.
    var key = ["id$"]
}
