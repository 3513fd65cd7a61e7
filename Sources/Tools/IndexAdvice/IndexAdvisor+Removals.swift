import DataModel
import RelationalSchema

extension IndexAdvisor {
    /// An index that the model declares, with its form in the store.
    private struct Declared {
        var entity: Entity
        var name: String
        var location: SourceLocation
        var isFetchIndex: Bool
        var sqlName: String
    }

    /// The indexes of the model that no plan uses, and those that another one makes superfluous.
    ///
    /// - Parameter findings: The plans of all of a program's queries; nil if these are not known, so that no index
    ///   counts as unused.
    public func removals(after findings: [IndexAdvice.Finding]?) -> [IndexAdvice.Removal] {
        declared.compactMap { index in
            func removal(_ reason: IndexAdvice.Removal.Reason) -> IndexAdvice.Removal {
                IndexAdvice.Removal(
                    entityName: index.entity.name, name: index.name, location: index.location, reason: reason,
                    isFetchIndex: index.isFetchIndex)
            }
            if let longer = longer(than: index.sqlName) { return removal(.beginningOf(longer)) }
            guard let findings else { return nil }
            // Whether the runtime uses an R-tree depends on how much a box holds.
            if index.sqlName.hasPrefix("rtree$") { return nil }
            let isUsed = findings.contains { ($0.after ?? $0.before).mentions(index.sqlName) }
            return isUsed ? nil : removal(.unused)
        }
    }

    private var declared: [Declared] {
        let known = Set(
            schema.indexes.map(\.name) + schema.rtrees.map(\.name) + schema.fullTextTables.map(\.name))
        let all = schema.graph.entitiesByName.flatMap { entity in
            let indexes = entity.indexes.sorted { $0.name < $1.name }.map { index in
                Declared(
                    entity: entity, name: index.name, location: index.location, isFetchIndex: true,
                    sqlName: "\(index.kind.prefix)$\(entity.name)$\(index.name)")
            }
            let attributes = entity.attributes.sorted { $0.name < $1.name }.filter(\.isIndexed).map { attribute in
                Declared(
                    entity: entity, name: attribute.name, location: attribute.location, isFetchIndex: false,
                    sqlName: "indexed$\(entity.name)$\(attribute.name)")
            }
            return indexes + attributes
        }
        return all.filter { known.contains($0.sqlName) }
    }

    /// The name of another index of the table that begins with the same columns and has the same rows.
    private func longer(than name: String) -> String? {
        guard let position = schema.indexes.firstIndex(where: { $0.name == name }) else { return nil }
        let index = schema.indexes[position]
        let longer = schema.indexes.enumerated().first { other, longer in
            other != position && longer.tableName == index.tableName && longer.begins(with: index)
                && (longer.elements.count > index.elements.count || longer.isUnique || other < position
                    || longer.name.hasPrefix("reference$"))
        }
        return longer?.element.name
    }
}

extension FetchIndex.Kind {
    /// The prefix of the index's name in the store.
    var prefix: String {
        switch self {
        case .binary: "index"
        case .rtree: "rtree"
        case .fullText: "fulltext"
        }
    }
}

extension TableIndex {
    /// Returns whether an index serves every search that another one would.
    fileprivate func begins(with other: TableIndex) -> Bool {
        let first = elements.prefix(other.elements.count)
        guard elements.count >= other.elements.count,
            zip(first, other.elements).allSatisfy({ $0.content == $1.content })
        else { return false }
        // An index can be read backwards.
        let same = zip(first, other.elements).map { $0.isDescending == $1.isDescending }
        guard same.allSatisfy(\.self) || !same.contains(true) else { return false }
        let isWhole = condition == nil && entityNames == nil
        return isWhole || condition == other.condition && entityNames == other.entityNames
    }
}

extension QueryPlan {
    /// Returns whether a step uses an index or a virtual table.
    func mentions(_ name: String) -> Bool {
        indexNames.contains(name)
            || steps.contains { step in
                step.detail.contains(" VIRTUAL TABLE ") && step.detail.split(separator: " ").contains { $0 == name }
            }
    }
}
