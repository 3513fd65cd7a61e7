import DataModel
import RelationalSchema
import SchemaMigration

/// The limits of whole numbers whose sums must fit into the types that a version and all later ones have for them.
struct SumLimits {
    /// An attribute of an entity that has objects, which may inherit it.
    private struct Key: Hashable {
        var entityName: String
        var keyPath: String
    }

    private var limits: [Key: Int64] = [:]
    /// The greatest number of members of a sum.
    private let members: Int64

    init(_ model: TestedModel, version: Int, objectsPerEntity: Int) {
        members = 100 * Int64(max(1, objectsPerEntity))
        for position in (version...model.current).reversed() {
            if position < model.current { follow(model.match(to: position + 1)) }
            limit(model.schemas[position])
        }
    }

    /// An attribute of an entity with the bounds that its sums demand.
    func bounded(_ attribute: Attribute, _ keyPath: String, of entityName: String) -> Attribute {
        guard let limit = limits[Key(entityName: entityName, keyPath: keyPath)] else { return attribute }
        var bounded = attribute
        func bound(_ text: String?) -> Double? { text.flatMap { Double($0) } }
        if bound(attribute.minimumValue) ?? -.infinity < -Double(limit) { bounded.minimumValue = "\(-limit)" }
        if bound(attribute.maximumValue) ?? .infinity > Double(limit) { bounded.maximumValue = "\(limit)" }
        return bounded
    }

    /// Goes back to the version before.
    private mutating func follow(_ match: VersionMatch) {
        var older: [Key: Int64] = [:]
        for (key, limit) in limits {
            guard let attribute = TestedModel.column(key.keyPath, key.entityName, match.new)?.attribute,
                let origin = match.origin(of: attribute, keyPath: key.keyPath, in: key.entityName),
                let entityName = match.oldEntityName(of: key.entityName)
            else { continue }
            older[Key(entityName: entityName, keyPath: origin.keyPath), default: .max].lower(to: limit)
        }
        limits = older
    }

    private mutating func limit(_ schema: Schema) {
        // The schema has the source of a derived attribute before the attribute.
        for column in schema.derivedColumns.reversed() {
            guard let entity = schema.graph.entity(named: column.entityName),
                let attribute = entity.attributes.first(where: { $0.name == column.attributeName }),
                let expression = attribute.derivationExpression,
                let derivation = try? schema.graph.derivation(expression, of: entity),
                let source = derivation.source, source.type.greatestNumber != nil,
                let owner = schema.graph.entity(named: derivation.sourceEntityName)
            else { continue }
            var limit = attribute.type.greatestNumber ?? .max
            for kind in schema.graph.hierarchy(of: entity) {
                limit.lower(to: limits[Key(entityName: kind.name, keyPath: attribute.name)] ?? .max)
            }
            if derivation.operation == .sum { limit /= members }
            for kind in schema.graph.hierarchy(of: owner) {
                limits[Key(entityName: kind.name, keyPath: source.name), default: .max].lower(to: limit)
            }
        }
    }
}

extension Int64 {
    fileprivate mutating func lower(to limit: Int64) { self = Swift.min(self, limit) }
}

extension AttributeType {
    /// The greatest number of a type of whole numbers.
    fileprivate var greatestNumber: Int64? {
        switch self {
        case .integer16: Int64(Int16.max)
        case .integer32: Int64(Int32.max)
        case .integer64: .max
        default: nil
        }
    }
}
