import DataModel
import RelationalSchema

/// The objects that a migration must keep, determined only from the two models and the rows before it.
extension PartProof {
    /// Returns the expected number of objects of each new entity after the migration.
    func expectedCounts(_ database: ProofDatabase) throws(ProofDatabase.Failure) -> [String: Int] {
        let before = try objects(database, part.source, plan.old)
        let deleted = try deletedObjects(database, before)
        var counts: [String: Int] = [:]
        for name in plan.new.names {
            guard let oldName = plan.oldEntityNames[name], let objects = before[oldName] else { continue }
            counts[name] = objects.subtracting(deleted[oldName] ?? []).count
        }
        return counts
    }

    /// The objects that are deleted, by their old entities: those of removed entities, and those that must lead to one.
    private func deletedObjects(
        _ database: ProofDatabase, _ before: [String: Set<String>]
    ) throws(ProofDatabase.Failure) -> [String: Set<String>] {
        var deleted = before.filter { plan.removedEntityNames.contains($0.key) }
        if deleted.isEmpty { return [:] }
        var isDone = false
        while !isDone {
            isDone = true
            for cascade in plan.cascades {
                guard let name = plan.oldEntityNames[cascade.entityName], let objects = before[name] else { continue }
                let targets = cascade.destinations.compactMap { deleted[$0] }.joined()
                let leading = try sources(database, cascade, Set(targets)).intersection(objects)
                if leading.isSubset(of: deleted[name] ?? []) { continue }
                deleted[name, default: []].formUnion(leading)
                isDone = false
            }
        }
        return deleted
    }

    /// The objects that lead to one of some others.
    private func sources(
        _ database: ProofDatabase, _ binding: ModelMatch.Binding, _ targets: Set<String>
    ) throws(ProofDatabase.Failure) -> Set<String> {
        guard !targets.isEmpty, let relationship = plan.old.property(binding.source)?.relationship,
            let entity = plan.old.nodes[binding.source.entityName]?.entity,
            let links = plan.old.schema.linksQuery(of: relationship, in: entity)
        else { return [] }
        let columns = binding.isReversed ? "target, source" : "source, target"
        let rows = try database.run("SELECT \(columns) FROM (\(links))")
        return Set(rows.filter { $0[1].map(targets.contains) ?? false }.compactMap { $0[0] })
    }

    /// The identifiers of the objects of each entity in some tables.
    func objects(
        _ database: ProofDatabase, _ tables: SchemaTables, _ version: Version
    ) throws(ProofDatabase.Failure) -> [String: Set<String>] {
        var result: [String: Set<String>] = [:]
        for table in tables.tables.map(\.name) {
            guard let entityNames = version.entityNames[table] else { continue }
            let root = entityNames.first ?? table
            let entity = entityNames.count > 1 ? SQLText.identifier(ColumnName.entity) : "NULL"
            let rows = try database.run(
                "SELECT \(SQLText.identifier(ColumnName.identifier)), \(entity) FROM \(SQLText.identifier(table))")
            for row in rows { result[row[1] ?? root, default: []].insert(row[0] ?? "") }
        }
        return result
    }
}
