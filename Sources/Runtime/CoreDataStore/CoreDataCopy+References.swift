import SQLQuoting
import StoreDescription

/// The queries for copied references that lead to no object.
extension CoreDataCopy {
    /// Queries of the new store that return a row if a reference, or a pair, does not lead to an object of the required
    /// entity.
    ///
    /// They use the new store's indexes, in whose order all references to an object need one lookup. The old store's
    /// indexes prove nothing: they may differ from their tables.
    package var danglingReferences: [String] {
        var questions: [String] = []
        for table in layout.tables {
            for entity in table.entities {
                for relationship in entity.relationships {
                    switch relationship.storage {
                    case .column(let column):
                        questions += dangling(column, of: entity.table, to: relationship.destination)
                    case .joinTable(let pairs, let own, let other, _):
                        questions += dangling(own, of: pairs, to: entity.name)
                        questions += dangling(other, of: pairs, to: relationship.destination)
                    case .inverseColumn: continue
                    }
                }
            }
        }
        return Array(Set(questions)).sorted()
    }

    private func dangling(_ column: String, of table: String, to destination: String) -> [String] {
        guard let target = layout.table(ofEntity: destination), let name = target.entities.first?.table else {
            return []
        }
        var condition = "d.\"id$\" = s.\"key\""
        if destination != target.root {
            let names = layout.hierarchy(of: destination).filter { !$0.isAbstract }.map {
                SQLQuotation.literal($0.name)
            }
            condition += " AND d.\"entity$\" IN (\(names.joined(separator: ", ")))"
        }
        return [
            """
            SELECT 1 FROM (SELECT DISTINCT \(quoted(column)) AS "key" FROM main.\(quoted(table)) WHERE \(quoted(column)) IS NOT NULL) AS s
            WHERE NOT EXISTS (SELECT 1 FROM main.\(quoted(name)) AS d WHERE \(condition)) LIMIT 1
            """
        ]
    }
}
