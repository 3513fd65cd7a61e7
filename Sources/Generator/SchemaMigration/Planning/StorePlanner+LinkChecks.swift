import DataModel
import RelationalSchema
import StoreDescription

/// The checks that no link is lost where relationships lead to fewer objects than before.
extension StorePlanner {
    func planLinkChecks() {
        for entityName in new.names {
            guard let node = new.nodes[entityName] else { continue }
            for property in node.properties where property.key.entityName == entityName {
                guard let relationship = property.relationship else { continue }
                if !relationship.isToMany {
                    for source in match.sources(of: property.key) where source.old.relationship?.isToMany == true {
                        planSingleLinks(property.key, ofSet: source.old)
                    }
                }
                switch match.linkConflict(of: property.key) {
                case .shared: planSingleLinks(back: property.key)
                case .independent: planEqualLinks(property.key)
                case .notMutual: planMutualLinks(property.key)
                case nil: continue
                }
            }
        }
    }

    /// Refuses an object that leads to several by a relationship which leads to one from now on.
    private func planSingleLinks(_ key: PropertyName, ofSet source: Version.Property) {
        let table: String
        let column: String
        switch old.storage(of: source.key) {
        case .inverseColumn(let name, let columnName, _): (table, column) = (name, columnName)
        case .joinTable(let name, let own, _, _): (table, column) = (name, own)
        case .column, nil: return
        }
        let name = SQLText.identifier(column)
        checks.append(
            MigrationStatement(
                .query(
                    reading: [currentName(table)],
                    statement: """
                        SELECT \(name)
                        FROM \(current(table))
                        WHERE \(name) IS NOT NULL
                        GROUP BY \(name)
                        HAVING count(*) > 1
                        LIMIT 1
                        """),
                purpose: .check(
                    reason: "'\(key)' leads to one object now, so none may lead to several",
                    entityName: source.key.entityName)))
    }

    /// Refuses an object to which several lead by the inverse of a relationship, which leads back to one.
    private func planSingleLinks(back key: PropertyName) {
        guard let inverse = new.inverse(of: key) else { return }
        let links = linkSources(of: inverse)
        for table in Set(links.map(\.targetTable)).sorted() {
            checks.append(
                MigrationStatement(
                    .query(
                        reading: links.map { currentName($0.table) },
                        statement: """
                            SELECT "target$"
                            FROM (\(pairs(links.filter { $0.targetTable == table })))
                            GROUP BY "target$"
                            HAVING count(*) > 1
                            LIMIT 1
                            """),
                    purpose: .check(
                        reason: "'\(key)' leads to one object, so no more than one may lead back by '\(inverse)'",
                        entityName: match.oldEntityNames[key.entityName] ?? key.entityName)))
        }
    }

    /// Refuses links that only one of two relationships has, which become inverses of each other.
    private func planEqualLinks(_ key: PropertyName) {
        guard let inverse = new.inverse(of: key) else { return }
        let own = linkSources(of: key)
        let back = linkSources(of: inverse).map(\.reversed)
        for (sources, others) in [(own, back), (back, own)] {
            checks.append(
                MigrationStatement(
                    .query(
                        reading: (sources + others).map { currentName($0.table) },
                        statement: """
                            SELECT "source$"
                            FROM (\(pairs(sources, except: others)))
                            LIMIT 1
                            """),
                    purpose: .check(
                        reason: "'\(key)' and '\(inverse)' are inverses now, so each must lead to the objects that "
                            + "lead to it by the other",
                        entityName: match.oldEntityNames[key.entityName] ?? key.entityName)))
        }
    }

    /// Refuses an object that leads to another one that does not lead back, by a relationship that is its own inverse
    /// now.
    private func planMutualLinks(_ key: PropertyName) {
        let links = linkSources(of: key)
        if links.isEmpty { return }
        checks.append(
            MigrationStatement(
                .query(
                    reading: links.map { currentName($0.table) },
                    statement: """
                        SELECT "source$"
                        FROM (\(pairs(links, except: links.map(\.reversed))))
                        LIMIT 1
                        """),
                purpose: .check(
                    reason: "'\(key)' is its own inverse now, so the objects that it leads to must lead back",
                    entityName: match.oldEntityNames[key.entityName] ?? key.entityName)))
    }

    private func pairs(_ links: [LinkSource], except others: [LinkSource]) -> String {
        """
        SELECT "source$", "target$" FROM (\(pairs(links)))
        EXCEPT SELECT "source$", "target$" FROM (\(pairs(others)))
        """
    }

    /// The links of some relationships as rows of `source$` and `target$`; a link of several relationships occurs
    /// several times.
    private func pairs(_ links: [LinkSource]) -> String {
        links.map(\.pairs).joined(separator: "\nUNION ALL ")
    }
}
