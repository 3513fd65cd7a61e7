import SQLQuoting
import StoreDescription

/// The questions whether what was copied leads somewhere.
extension CoreDataCopy {
    /// Queries of the new store that give a row where a reference, or a pair, leads to no object of the entity that it must lead to.
    ///
    /// They are asked of the new store's indexes, in whose order all references to an object are one question. The old store's are
    /// no proof: nothing says that they are what their tables are.
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
