import DataModel
import RelationalSchema

/// The code of full-text indexes.
extension EntityGenerator {
    /// A full-text index of the entity, and whether the entity itself declares it.
    struct LaidOutFullText {
        var index: FetchIndex
        var table: FullTextTable
        var isOwn: Bool
    }

    /// The full-text indexes of the entity, with those that it inherits.
    var fullTextTables: [LaidOutFullText] {
        (model.graph.ancestors(of: entity) + [entity]).flatMap { owner in
            owner.indexes.filter { $0.kind == .fullText }.sorted { $0.name < $1.name }.compactMap { index in
                let name = "fulltext$\(owner.name)$\(index.name)"
                guard let table = model.schema.fullTextTables.first(where: { $0.name == name }) else { return nil }
                return LaidOutFullText(index: index, table: table, isOwn: owner.name == entity.name)
            }
        }
    }

    /// The properties of conditions and orders that search.
    var fullTextColumns: [Declaration] {
        fullTextTables.enumerated().filter(\.element.isOwn).map { position, text in
            .property(
                PropertyDeclaration(
                    documentation: documentation(of: text), access: access, name: SwiftName.fullText(text.index.name),
                    type: "FullTextColumn",
                    accessors: [
                        Accessor(body: ["FullTextColumn(self, \(className)._ashlarEntity.fullTextIndexes[\(position)])"]
                        )
                    ]))
        }
    }

    /// The properties of the class that `#Predicate` searches by.
    var fullTextProperties: [Declaration] {
        fullTextTables.filter(\.isOwn).map { text in
            .property(
                PropertyDeclaration(
                    documentation: documentation(of: text), access: access, modifiers: finality,
                    name: SwiftName.fullText(text.index.name), type: "FullText",
                    accessors: [Accessor(body: ["FullText(self, \(SwiftName.literal(text.index.name)))"])]))
        }
    }

    private func documentation(of text: LaidOutFullText) -> [String] {
        let names = text.index.elements.compactMap(\.propertyName).map { "`\($0)`" }
        return ["The full-text index of \(names.joined(separator: ", "))."]
    }

    /// The argument of the description.
    var fullTextDescriptions: [String] {
        let texts = fullTextTables
        if texts.isEmpty { return [] }
        return ["    fullTextIndexes: ["] + texts.flatMap(description).map { "        \($0)" } + ["    ],"]
    }

    private func description(of text: LaidOutFullText) -> [String] {
        let columns = text.table.columnNames.map { name in
            layout.columns.first { $0.stored.name == name }.map { String($0.index) } ?? "-1"
        }
        func list(_ texts: [String]) -> String { "[\(texts.map(SwiftName.literal).joined(separator: ", "))]" }
        var lines = [
            "FullTextDescription(",
            "    \(SwiftName.literal(text.index.name)), tableName: \(SwiftName.literal(text.table.name)),",
            "    columns: [\(columns.joined(separator: ", "))], columnNames: \(list(text.table.virtualColumnNames)),",
            "    options: \(list(text.table.options))",
        ]
        let weights = text.index.fullText.weights
        if !weights.isEmpty { lines[3] += ", weights: [\(weights.map { "\($0)" }.joined(separator: ", "))]" }
        if let names = text.table.entityNames { lines[3] += ", entityNames: \(list(names))" }
        lines[3] += "),"
        return lines
    }
}
