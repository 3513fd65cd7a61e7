import DataModel
import RelationalSchema

/// The value of a composite attribute as a tree, independent of its storage.
indirect enum CompositeValue: Equatable, CustomStringConvertible {
    case null
    /// A leaf as SQLite's `quote` writes it.
    case leaf(String)
    case composite([String: CompositeValue])

    var description: String {
        switch self {
        case .null: "nil"
        case .leaf(let text): text
        case .composite(let values):
            "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        }
    }
}

extension RandomStore {
    /// The values of a composite attribute by the marks of an entity's objects, without those of entities below it.
    func compositeValues(of attribute: Attribute, in entity: Entity) throws -> [String: CompositeValue] {
        guard let storage = schema.storage(of: entity) else { return [:] }
        let columns = storage.ownColumns.filter { $0.leaf?.path[0].name == attribute.name }
        guard
            let mark = storage.ownColumns.first(where: { column in
                if case .attribute(let attribute) = column.content {
                    attribute.name == RandomModel.markName
                } else {
                    false
                }
            })
        else { return [:] }
        let selected = ["\"\(mark.name)\""] + columns.map { "quote(\(SQLText.identifier($0.name)))" }
        let rows = try database.run(
            """
            SELECT \(selected.joined(separator: ", ")) FROM \(SQLText.identifier(storage.tableName))
            WHERE \(condition(entity))
            """)
        var result: [String: CompositeValue] = [:]
        for row in rows {
            let texts = Dictionary(
                zip(columns, row.dropFirst()).map { ($0.leaf?.names ?? [], $0.leaf?.isPresence ?? false, $1 ?? "NULL") }
                    .map { (($0 + ($1 ? ["present"] : [])).joined(separator: "."), $2) },
                uniquingKeysWith: { first, _ in first })
            result[row[0] ?? ""] = tree([attribute], texts)
        }
        return result
    }

    private func tree(_ path: [Attribute], _ texts: [String: String]) -> CompositeValue {
        let name = path.map(\.name).joined(separator: ".")
        guard let attribute = path.last, attribute.type == .composite else {
            let text = texts[name] ?? "missing"
            return text == "NULL" ? .null : .leaf(text)
        }
        let inner = schema.graph.composite(named: attribute.compositeName ?? "")?.attributes ?? []
        let value = CompositeValue.composite(
            Dictionary(inner.map { ($0.name, tree(path + [$0], texts)) }) { first, _ in first })
        if !attribute.isOptional || texts["\(name).present"] == "1" { return value }
        // The columns of a nil value are empty.
        let isClean = texts.allSatisfy { $0.value == "NULL" || ($0.key != name && !$0.key.hasPrefix(name + ".")) }
        return isClean ? .null : .leaf("remains of \(value)")
    }
}

/// Predicts migrated values of composites from the models alone.
struct CompositeMigration {
    let old: ModelGraph
    let new: ModelGraph
    let model: RandomModel

    /// The value of a new attribute without an old one.
    func fresh(_ attribute: Attribute) -> CompositeValue {
        guard attribute.type == .composite else {
            return (try? attribute.defaultValue()).map { .leaf(SQLText.literal($0)) } ?? .null
        }
        if attribute.isOptional { return .null }
        return composite(attribute) { fresh($0) }
    }

    /// The value of a new attribute whose old one had a value.
    func migrated(_ attribute: Attribute, from oldAttribute: Attribute, _ value: CompositeValue) -> CompositeValue {
        guard attribute.type == .composite else {
            return value == .null && !attribute.isOptional ? fresh(attribute) : value
        }
        if value == .null && attribute.isOptional { return .null }
        let name = attribute.compositeName ?? ""
        let oldLeaves = old.composite(named: name)?.attributes ?? []
        return composite(attribute) { leaf in
            guard let origin = model.oldLeafNames[.init(entityName: name, name: leaf.name)],
                let oldLeaf = oldLeaves.first(where: { $0.name == origin })
            else { return fresh(leaf) }
            guard case .composite(let values) = value else { return migrated(leaf, from: oldLeaf, .null) }
            return migrated(leaf, from: oldLeaf, values[origin] ?? .null)
        }
    }

    private func composite(_ attribute: Attribute, _ value: (Attribute) -> CompositeValue) -> CompositeValue {
        let leaves = new.composite(named: attribute.compositeName ?? "")?.attributes ?? []
        return .composite(Dictionary(leaves.map { ($0.name, value($0)) }) { first, _ in first })
    }
}
