import SQLQuoting
import StoreDescription

extension CoreDataCopy {
    /// A query for data of the old store that the model does not allow.
    ///
    /// Its rows have the number of an object, that of its entity, and the value in question.
    package struct Check: Sendable, Hashable {
        /// The subject of a check.
        package enum Subject: Sendable, Hashable {
            /// Rows that are not objects of the model's entities.
            case rows
            case attribute(ColumnLine.AttributeType)
            case reference(destination: String)
            /// The other side of a one-to-one relationship, which does not lead back.
            case oneSided(destination: String)
            /// Pairs of a to-many relationship; the value is the number of the destination.
            case pairs(destination: String)
        }

        package var subject: Subject
        /// The entity that declares the property; the root for rows.
        package var entity: String
        package var property: String
        /// The table that is read.
        package var source: String
        package var sql: String
        /// Whether a repair leaves out the whole row.
        package var excludesRow: Bool
        /// Whether a repair puts the model's default in the place of the value.
        package var hasDefault: Bool
        /// Whether the value may be in a file beside the store.
        package var isExternal = false
    }

    /// All checks, those of rows first, then those after which rows are left out.
    package var checks: [Check] {
        let all = layout.tables.flatMap { table in
            [rowCheck(table)] + table.entities.flatMap { checks(of: $0, in: table) }
        }
        let pairs = joinTables.compactMap(check) + relationshipsWithoutInverse.map(check)
        return all.filter(\.excludesRow) + all.filter { !$0.excludesRow } + pairs
    }

    /// Puts the rows that a check finds among those that are not copied.
    package func excluding(_ check: Check) -> String {
        """
        INSERT INTO \(Self.excludedTable) ("table", "key")
        SELECT \(SQLQuotation.literal(check.source)), "key" FROM (\(check.sql)) WHERE true
        ON CONFLICT DO NOTHING
        """
    }

    private func rowCheck(_ table: CoreDataLayout.EntityTable) -> Check {
        check(
            .rows, table.root, "", in: table.name, value: "NULL", where: "(\(rowCondition(table))) IS NOT TRUE",
            excludesRow: true)
    }

    private func checks(of entity: StoredEntity, in table: CoreDataLayout.EntityTable) -> [Check] {
        let applies = "\(isOf(entity)) AND "
        var checks: [Check] = []
        for attribute in entity.attributes where !attribute.isDerived {
            guard let type = attribute.type, let rule = rule(attribute, type, of: entity, in: table) else { continue }
            var check = check(
                .attribute(type), entity.name, attribute.keyPath, in: table.name, value: "s.\(quoted(rule.column))",
                where: "\(applies)(\(rule.condition)) IS NOT TRUE", excludesRow: rule.excludesRow,
                hasDefault: rule.fallback != "NULL")
            check.isExternal = attribute.isExternal
            checks.append(check)
        }
        for relationship in entity.relationships where !relationship.isToMany {
            guard let rule = rule(relationship, of: entity, in: table) else { continue }
            let value = "s.\(quoted(rule.column))"
            if case .column = relationship.storage {
                checks.append(
                    check(
                        .reference(destination: relationship.destination), entity.name, relationship.name,
                        in: table.name, value: value, where: "\(applies)(\(rule.condition)) IS NOT TRUE",
                        excludesRow: rule.excludesRow))
            } else if let inverse = layout.inverse(of: relationship), !inverse.relationship.isToMany,
                let other = layout.table(ofEntity: inverse.entity.name),
                let back = other.columns[CoreDataLayout.Property(inverse.entity.name, inverse.relationship.name)]
            {
                let leadsBack =
                    "SELECT 1 FROM \(source(other.name)) AS d WHERE d.\"Z_PK\" = \(value) AND d.\(quoted(back)) = s.\"Z_PK\""
                checks.append(
                    check(
                        .oneSided(destination: relationship.destination), entity.name, relationship.name,
                        in: table.name, value: value,
                        where: "\(applies)\(value) IS NOT NULL AND NOT EXISTS (\(leadsBack))"))
            }
        }
        return checks
    }

    private func check(_ table: CoreDataLayout.JoinTable) -> Check? {
        guard let owner = layout.entities[table.property.entity],
            let relationship = owner.relationships.first(where: { $0.name == table.property.name })
        else { return nil }
        return Check(
            subject: .pairs(destination: relationship.destination), entity: owner.name, property: relationship.name,
            source: table.name,
            sql: """
                SELECT s.\(quoted(table.ownColumn)) AS "key", NULL AS "entity", s.\(quoted(table.otherColumn)) AS "value"
                FROM \(source(table.name)) AS s WHERE (\(pairCondition(table))) IS NOT TRUE
                """,
            excludesRow: false, hasDefault: false)
    }

    private func check(_ found: RelationshipWithoutInverse) -> Check {
        Check(
            subject: .pairs(destination: found.relationship.destination), entity: found.owner.name,
            property: found.relationship.name, source: found.table.name,
            sql: """
                SELECT s.\(quoted(found.column)) AS "key", NULL AS "entity", s."Z_PK" AS "value"
                FROM \(source(found.table.name)) AS s
                WHERE s.\(quoted(found.column)) IS NOT NULL AND (\(exists(found.column, in: found.owner.name))) IS NOT TRUE
                """,
            excludesRow: false, hasDefault: false)
    }

    private func check(
        _ subject: Check.Subject, _ entity: String, _ property: String, in table: String, value: String,
        where condition: String, excludesRow: Bool = false, hasDefault: Bool = false
    ) -> Check {
        let isKept = remedy == .repair ? " AND \(self.isKept(table, "s.\"Z_PK\""))" : ""
        // Reporting a large value would read all of it.
        let shown =
            "CASE typeof(\(value)) WHEN 'text' THEN substr(\(value), 1, 100) WHEN 'blob' THEN NULL ELSE \(value) END"
        return Check(
            subject: subject, entity: entity, property: property, source: table,
            sql: """
                SELECT s."Z_PK" AS "key", s."Z_ENT" AS "entity", \(shown) AS "value", typeof(\(value)) AS "type"
                FROM \(source(table)) AS s WHERE \(condition)\(isKept)
                """,
            excludesRow: excludesRow, hasDefault: hasDefault)
    }
}
