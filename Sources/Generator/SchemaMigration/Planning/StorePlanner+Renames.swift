import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Renames the tables that are kept, and moves others out of the way.
    func planRenames() {
        let newNames = Set(new.schema.tables.map { SQLText.folded($0.name) })
        var occupied = Set(old.schema.tables.map { SQLText.folded($0.name) })
        var pending: [(current: String, target: String, oldTable: String)] = []
        for table in old.schema.tables where table.content != .metadata {
            if let successor = successors[table.name] {
                if successor != table.name { pending.append((table.name, successor, table.name)) }
            } else if newNames.contains(SQLText.folded(table.name)) {
                rename(table.name, to: "\(table.name)$$old", of: table.name)
                occupied.remove(SQLText.folded(table.name))
            }
        }
        while !pending.isEmpty {
            if let index = pending.firstIndex(where: { !occupied.contains(SQLText.folded($0.target)) }) {
                let next = pending.remove(at: index)
                rename(next.current, to: next.target, of: next.oldTable)
                occupied.remove(SQLText.folded(next.current))
                occupied.insert(SQLText.folded(next.target))
            } else {
                // Names that are exchanged in a circle, or that change in case only.
                rename(pending[0].current, to: "\(pending[0].oldTable)$$moving", of: pending[0].oldTable)
                occupied.remove(SQLText.folded(pending[0].current))
                pending[0].current = "\(pending[0].oldTable)$$moving"
            }
        }
    }

    private func rename(_ name: String, to other: String, of oldTable: String) {
        openings.append(.renameTable(name, to: other))
        currentNames[oldTable] = other
    }

    /// Gives new identifiers to the objects that join those of another table.
    ///
    /// They are greater than every identifier that the other table has ever used, so that none of them ever meant
    /// another object.
    func planRenumbering() {
        for newTable in flows.keys.sorted() {
            guard let flows = flows[newTable], flows.count > 1 else { continue }
            for (index, flow) in flows.enumerated() where flow.isRenumbered {
                let name = SQLText.identifier(flow.renumberingTable)
                openings.append(
                    .createTable(
                        flow.renumberingTable,
                        definition: """
                            CREATE TABLE \(name) (
                                "old$" INTEGER PRIMARY KEY,
                                "new$" INTEGER NOT NULL
                            ) STRICT
                            """))
                var marks = [
                    "SELECT \"seq\" AS \"mark\" FROM \"sqlite_sequence\" "
                        + "WHERE \"name\" = \(SQLText.literal(currentName(flows[0].oldTable)))"
                ]
                marks += flows[1..<index].map {
                    "SELECT max(\"new$\") FROM \(SQLText.identifier($0.renumberingTable))"
                }
                let filter = condition(flow.pairs.map(\.old), of: flow.oldTable)
                let identifier = SQLText.identifier(ColumnName.identifier)
                openings.append(
                    .insertRows(
                        into: flow.renumberingTable, reading: [currentName(flow.oldTable)],
                        statement: """
                            INSERT INTO \(name) ("old$", "new$")
                            SELECT \(identifier), row_number() OVER (ORDER BY \(identifier))
                                + coalesce((SELECT max("mark") FROM (\(marks.joined(separator: " UNION ALL ")))), 0)
                            FROM \(current(flow.oldTable))\(filter.map { "\nWHERE \($0)" } ?? "")
                            """))
                closings.append(MigrationStatement(.dropTable(flow.renumberingTable)))
            }
        }
    }
}
