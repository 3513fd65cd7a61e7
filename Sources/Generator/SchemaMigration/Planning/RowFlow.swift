import DataModel
import RelationalSchema

/// Objects that go from an old table to a new one.
struct RowFlow {
    let oldTable: String
    let newTable: String
    /// The entities that the objects had and have.
    var pairs: [(old: String, new: String)]
    /// Whether all entities of the old table are among them.
    var isComplete = false
    /// Whether the objects get new identifiers, as the new table takes its identifiers from another old one.
    var isRenumbered = false

    /// The table with the new identifier of each old one.
    var renumberingTable: String { "\(newTable)$$from$\(oldTable)" }

    /// The flows into every new table. The first flow into a table keeps its identifiers.
    static func all(_ match: ModelMatch) -> [String: [RowFlow]] {
        var result: [String: [RowFlow]] = [:]
        for (newTable, entityNames) in match.new.entityNames {
            var flows: [RowFlow] = []
            for new in entityNames {
                guard let old = match.oldEntityNames[new], let oldTable = match.old.nodes[old]?.storage.tableName else {
                    continue
                }
                if let index = flows.firstIndex(where: { $0.oldTable == oldTable }) {
                    flows[index].pairs.append((old, new))
                } else {
                    flows.append(RowFlow(oldTable: oldTable, newTable: newTable, pairs: [(old, new)]))
                }
            }
            let root = entityNames.first
            if let index = flows.firstIndex(where: { $0.pairs.contains { $0.new == root } }) {
                flows.swapAt(0, index)
            }
            for index in flows.indices {
                let all = match.old.entityNames[flows[index].oldTable]
                flows[index].isComplete = flows[index].pairs.count == all?.count
                flows[index].isRenumbered = index > 0
            }
            result[newTable] = flows
        }
        return result
    }
}
