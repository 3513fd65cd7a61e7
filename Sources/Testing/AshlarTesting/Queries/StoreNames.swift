import Ashlar
import IndexAdvice

/// The meaning, in a model, of the names in statements and their plans.
struct StoreNames: Sendable {
    /// The entities of the tables; nil for one of pairs.
    private var tables: [String: String?] = [:]
    private var indexes: [String: UsedIndex] = [:]

    init(_ model: ModelDescription) {
        // Ancestors come first: an inherited index belongs to the entity that declares it.
        let entities = model.entities.sorted { Self.depth($0, model) < Self.depth($1, model) }
        for entity in entities {
            if entity.parentName == nil { tables[entity.tableName] = .some(entity.name) }
            for index in entity.indexes where indexes[index.storeName] == nil {
                indexes[index.storeName] = UsedIndex(entityName: entity.name, name: index.name)
            }
            for index in entity.fullTextIndexes where indexes[index.tableName] == nil {
                indexes[index.tableName] = UsedIndex(entityName: entity.name, name: index.name)
            }
            for relationship in entity.relationships {
                if case .joinTable(let name, _, _, _) = relationship.storage { tables[name] = .some(nil) }
            }
        }
    }

    private static func depth(_ entity: EntityDescription, _ model: ModelDescription) -> Int {
        Array(sequence(first: entity) { $0.parentName.flatMap { model.entity(named: $0) } }).count
    }

    func entityName(ofTable name: String) -> String? { tables[name] ?? nil }

    /// The index with a name in the store.
    func index(_ storeName: String) -> UsedIndex? { indexes[storeName] }

    /// The tables and virtual tables of a statement, by the names that it gives them.
    func tables(of sql: String) -> [String: String] {
        var result: [String: String] = [:]
        for name in tables.keys { result[name] = name }
        let tokens = StatementText.tokens(sql)
        for (position, token) in tokens.enumerated().dropFirst().dropLast() where token == "AS" {
            guard let name = StatementText.identifier(tokens[position - 1]),
                let alias = StatementText.identifier(tokens[position + 1]), tables[name] != nil || indexes[name] != nil
            else { continue }
            result[alias] = name
        }
        return result
    }
}
