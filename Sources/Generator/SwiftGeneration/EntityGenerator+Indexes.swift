import DataModel
import RelationalSchema

/// The indexes that find objects of the entity.
extension EntityGenerator {
    /// The indexes as the runtime describes them: those of the table that have all or some of the entity's objects.
    var indexDescriptions: [String] {
        let names = modelNames
        let binary = model.indexes(ofTable: layout.storage.tableName).filter { covers($0.entityNames) }.map { index in
            description(
                index.name, names[index.name], kind: nil, index.elements.map { ($0.columnName, $0.isDescending) },
                isPartial: index.condition != nil)
        }
        let rtrees = model.rtrees(ofTable: layout.storage.tableName).filter { covers($0.entityNames) }.map { rtree in
            description(
                rtree.name, names[rtree.name], kind: "rtree", rtree.columnNames.map { ($0, false) }, isPartial: false)
        }
        return binary + rtrees
    }

    /// A name for each fetch index that the entity declares, by which a fetch selects it.
    var fetchIndexExtension: TypeDeclaration? {
        if entity.indexes.isEmpty { return nil }
        let names = Set(indexesInStore)
        let declared = entity.indexes.filter { index in
            SwiftName.isIdentifier(index.name) && names.contains(Self.storeName(of: index, entity))
        }
        if declared.isEmpty { return nil }
        return TypeDeclaration(
            kind: .extension, name: "FetchIndex",
            condition: layout.hasChildren ? "Model: \(className)" : "Model == \(className)",
            members: declared.sorted { $0.name < $1.name }.map { index in
                .property(
                    PropertyDeclaration(
                        access: access, modifiers: ["static"], name: SwiftName.property(index.name),
                        type: "FetchIndex",
                        accessors: [Accessor(body: ["FetchIndex(\(SwiftName.literal(index.name)))"])]))
            })
    }

    private var indexesInStore: [String] {
        let table = layout.storage.tableName
        return model.indexes(ofTable: table).map(\.name) + model.rtrees(ofTable: table).map(\.name)
    }

    /// Returns whether an index of the entity's table, which may cover some entities only, covers this one.
    func covers(_ entityNames: [String]?) -> Bool { entityNames.map { $0.contains(entity.name) } ?? true }

    /// The names of fetch indexes by those of the store's.
    private var modelNames: [String: String] {
        var names: [String: String] = [:]
        for owner in model.graph.ancestors(of: entity) + [entity] {
            for index in owner.indexes { names[Self.storeName(of: index, owner)] = index.name }
        }
        return names
    }

    private static func storeName(of index: FetchIndex, _ owner: Entity) -> String {
        "\(index.kind == .rtree ? "rtree" : "index")$\(owner.name)$\(index.name)"
    }

    private func description(
        _ storeName: String, _ name: String?, kind: String?, _ elements: [(column: String?, isDescending: Bool)],
        isPartial: Bool
    ) -> String {
        let elements = elements.map { column, isDescending in
            ".init(\(column.map(SwiftName.literal) ?? "nil")\(isDescending ? ", isDescending: true" : ""))"
        }
        var arguments = [SwiftName.literal(name ?? storeName)]
        if name != nil { arguments.append("storeName: \(SwiftName.literal(storeName))") }
        if let kind { arguments.append("kind: .\(kind)") }
        arguments.append("elements: [\(elements.joined(separator: ", "))]")
        if isPartial { arguments.append("isPartial: true") }
        return "IndexDescription(\(arguments.joined(separator: ", ")))"
    }
}
