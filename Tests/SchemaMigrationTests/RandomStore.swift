import DataModel
import RandomNumbers
import RelationalSchema
import TestDatabase

/// Random objects, and the contents of their store in terms of their marks alone.
struct RandomStore {
    let schema: Schema
    let database: Database

    init(_ schema: Schema, _ database: Database) {
        self.schema = schema
        self.database = database
    }

    /// Puts objects of all entities into an empty store, with attributes and links.
    func fill(_ generator: inout SeededGenerator) throws {
        var identifiers: [String: [Int]] = [:]
        var mark = 0
        for entity in schema.graph.entitiesByName where !entity.isAbstract {
            for _ in 0..<generator.number(0..<4) {
                mark += 1
                let identifier = try insert(entity, mark: mark, &generator)
                for kind in [entity] + schema.graph.ancestors(of: entity) {
                    identifiers[kind.name, default: []].append(identifier)
                }
            }
        }
        for entity in schema.graph.entitiesByName {
            for relationship in entity.relationships {
                try link(
                    relationship, entity, identifiers[entity.name] ?? [],
                    identifiers[relationship.destinationName] ?? [], &generator)
            }
        }
        try removeImpossibleObjects()
    }

    /// Deletes objects that lack a required destination, and then those that refer to deleted objects.
    private func removeImpossibleObjects() throws {
        while try !database.run("PRAGMA foreign_key_check").isEmpty {
            for table in schema.tables {
                for column in table.columns {
                    guard let reference = column.reference else { continue }
                    let name = SQLText.identifier(column.name)
                    let condition =
                        "\(name) NOT IN (SELECT \"id$\" FROM \(SQLText.identifier(reference.tableName)))"
                    let change =
                        column.isRequired
                        ? "DELETE FROM \(SQLText.identifier(table.name))"
                        : "UPDATE \(SQLText.identifier(table.name)) SET \(name) = NULL"
                    try database.run("\(change) WHERE \(condition)")
                }
            }
        }
    }

    private func insert(_ entity: Entity, mark: Int, _ generator: inout SeededGenerator) throws -> Int {
        guard let storage = schema.storage(of: entity) else { return 0 }
        var names = [ColumnName.version]
        var values = ["\(generator.number(1..<9))"]
        if storage.hasDiscriminator {
            names.append(ColumnName.entity)
            values.append(storage.discriminator.map { SQLText.literal($0) } ?? "NULL")
        }
        var missing: Set<String> = []
        let unique = uniqueNames(of: entity)
        for column in storage.ownColumns {
            if case .toOne = column.content, column.column.isRequired {
                names.append(column.name)
                values.append("0")
            }
            guard case .attribute(let attribute) = column.content, !attribute.isDerived else { continue }
            names.append(column.name)
            if let leaf = column.leaf {
                values.append(value(of: leaf, &missing, &generator))
            } else if attribute.name == RandomModel.markName {
                values.append("\(mark)")
            } else if unique.contains(attribute.name) {
                values.append(Self.value(of: attribute.type, number: mark))
            } else {
                let isNull = attribute.isOptional && generator.chance(0.3)
                values.append(isNull ? "NULL" : Self.value(of: attribute.type, &generator))
            }
        }
        let table = SQLText.identifier(storage.tableName)
        // A removed object leaves a gap.
        if generator.chance(0.3) {
            let text = "INSERT INTO \(table) (\(SQLText.identifiers(names))) VALUES (\(values.joined(separator: ", ")))"
            try database.run(text, "DELETE FROM \(table) WHERE \"id$\" = last_insert_rowid()")
        }
        let rows = try database.run(
            """
            INSERT OR IGNORE INTO \(table) (\(SQLText.identifiers(names))) VALUES (\(values.joined(separator: ", ")))
            RETURNING "id$"
            """)
        return rows.first?.first.flatMap { $0.flatMap { Int($0) } } ?? 0
    }

    private func uniqueNames(of entity: Entity) -> Set<String> {
        let kinds = [entity] + schema.graph.ancestors(of: entity)
        return Set(kinds.flatMap(\.uniquenessConstraints).flatMap(\.propertyNames))
    }

    /// The value of a leaf; NULL if its composite is missing.
    private func value(
        of leaf: AttributeLeaf, _ missing: inout Set<String>, _ generator: inout SeededGenerator
    ) -> String {
        let enclosing = (1...leaf.path.count).map { leaf.names[..<$0].joined(separator: ".") }
        if enclosing.contains(where: { missing.contains($0) }) { return "NULL" }
        if leaf.isPresence {
            if generator.chance(0.4) { missing.insert(leaf.keyPath) }
            return missing.contains(leaf.keyPath) ? "NULL" : "1"
        }
        guard let attribute = leaf.path.last, !attribute.isOptional || generator.chance(0.7) else { return "NULL" }
        return Self.value(of: attribute.type, &generator)
    }

    private static func value(of type: AttributeType, _ generator: inout SeededGenerator) -> String {
        value(of: type, number: generator.number(0..<1000))
    }

    private static func value(of type: AttributeType, number: Int) -> String {
        switch type {
        case .boolean: "\(number % 2)"
        case .integer16, .integer32, .integer64: "\(number - 500)"
        case .double, .float, .date: "\(Double(number) / 8)"
        case .decimal: "'\(number).05'"
        case .uuid, .binary, .transformable: "x'00ff\(100 + number % 900)0'"
        default: "'Größe 石 \(number)'"
        }
    }

    /// Links of a relationship, seen from the side that stores them.
    private func link(
        _ relationship: Relationship, _ entity: Entity, _ sources: [Int], _ targets: [Int],
        _ generator: inout SeededGenerator
    ) throws {
        if sources.isEmpty || targets.isEmpty { return }
        switch schema.storage(of: relationship, in: entity) {
        case .column(let name):
            let inverse = schema.inverse(of: relationship, in: entity)
            let isSingle = inverse?.relationship.isToMany == false
            var free = targets.shuffled(using: &generator)
            for source in sources where !relationship.isOptional || generator.chance(0.7) {
                guard let target = isSingle ? free.popLast() : free.randomElement(using: &generator) else { break }
                let table = SQLText.identifier(schema.storage(of: entity)?.tableName ?? "")
                try database.run(
                    "UPDATE OR IGNORE \(table) SET \(SQLText.identifier(name)) = \(target) WHERE \"id$\" = \(source)")
                guard let inverse, inverse.relationship.isOrdered else { continue }
                let order = SQLText.identifier("\(name)$order")
                try database.run(
                    "UPDATE OR IGNORE \(table) SET \(order) = \(generator.number(0..<99)) WHERE \"id$\" = \(source)")
            }
        case .joinTable(let table, ColumnName.source, _, _):
            let columns = schema.tables.first { $0.name == table }?.columns.map(\.name) ?? []
            for source in sources {
                for target in targets where generator.chance(0.4) {
                    let values = columns.map { name in
                        switch name {
                        case ColumnName.source: "\(source)"
                        case ColumnName.target: "\(target)"
                        default: "\(generator.number(0..<99))"
                        }
                    }
                    try database.run(
                        """
                        INSERT INTO \(SQLText.identifier(table)) (\(SQLText.identifiers(columns)))
                        VALUES (\(values.joined(separator: ", ")))
                        """)
                }
            }
            let inverse = schema.inverse(of: relationship, in: entity)
            if inverse?.entity.name == entity.name, inverse?.relationship.name == relationship.name {
                try linkBack(table, columns)
            }
        default: return
        }
    }

    /// In a relationship that is its own inverse, adds the opposite of each link.
    private func linkBack(_ table: String, _ columns: [String]) throws {
        let (source, target) = (SQLText.identifier(ColumnName.source), SQLText.identifier(ColumnName.target))
        let values = columns.map { name in
            switch name {
            case ColumnName.source: target
            case ColumnName.target: source
            default: SQLText.identifier(name)
            }
        }
        let pairs = SQLText.identifier(table)
        try database.run(
            """
            INSERT INTO \(pairs) (\(SQLText.identifiers(columns)))
            SELECT \(values.joined(separator: ", ")) FROM \(pairs) AS "one" WHERE NOT EXISTS
                (SELECT 1 FROM \(pairs) WHERE \(source) = "one".\(target) AND \(target) = "one".\(source))
            """)
    }

    /// Removes links and deletes objects, as any program may.
    func disturb(_ generator: inout SeededGenerator) throws {
        for table in schema.tables where table.content != .metadata {
            for column in table.columns where column.reference != nil && !column.isRequired && generator.chance(0.5) {
                let name = SQLText.identifier(column.name)
                try database.run(
                    "UPDATE \(SQLText.identifier(table.name)) SET \(name) = NULL WHERE \(name) % 2 = 0")
            }
            if generator.chance(0.5) {
                let column = SQLText.identifier(table.columns[0].name)
                try database.run("DELETE FROM \(SQLText.identifier(table.name)) WHERE \(column) % 3 = 0")
            }
        }
    }

    /// The derived columns with a value that differs from one computed anew from all rows.
    func staleColumns() throws -> [String] {
        try schema.derivedColumns.filter { column in
            try column.staleRows.map { try !database.run($0).isEmpty } ?? false
        }.map { "\($0.entityName).\($0.attributeName)" }
    }

    func condition(_ entity: Entity) -> String {
        schema.storage(of: entity)?.rowCondition ?? "true"
    }

    /// The objects of an entity, without those of entities below it: their marks and the numbers of their writes.
    func objects(of entity: Entity) throws -> [String] {
        let table = SQLText.identifier(schema.storage(of: entity)?.tableName ?? "")
        return try database.lines(
            "SELECT \(markColumn(of: entity)), \"version$\" FROM \(table) WHERE \(condition(entity)) ORDER BY 1")
    }

    /// The values of an attribute by the marks of an entity's objects.
    func values(of attribute: Attribute, in entity: Entity) throws -> [String] {
        guard let storage = schema.storage(of: entity),
            let column = storage.ownColumns.first(where: { $0.content == .attribute(attribute) })
        else { return [] }
        let name = SQLText.identifier(column.name)
        return try database.lines(
            """
            SELECT \(markColumn(of: entity)), typeof(\(name)), hex(\(name)) FROM \(SQLText.identifier(storage.tableName))
            WHERE \(condition(entity)) ORDER BY 1
            """)
    }

    func markColumn(of entity: Entity) -> String {
        let columns = schema.storage(of: entity)?.ownColumns ?? []
        let column = columns.first { column in
            if case .attribute(let attribute) = column.content { attribute.name == RandomModel.markName } else { false }
        }
        return SQLText.identifier(column?.name ?? RandomModel.markName)
    }

    /// The marks of the objects in a table, as a query with the columns `identifier` and `mark`.
    private func marks(ofTableOf entityName: String) -> String {
        guard let entity = schema.graph.entity(named: entityName) else { return "" }
        let root = schema.graph.root(of: entity)
        let table = SQLText.identifier(schema.storage(of: root)?.tableName ?? "")
        return "(SELECT \"id$\" AS identifier, \(markColumn(of: root)) AS mark FROM \(table))"
    }

    /// The links of a relationship as pairs of marks; for ordered ones in the order of each source's targets.
    func links(of relationship: Relationship, in entity: Entity) throws -> [String] {
        guard let pairs = schema.linksQuery(of: relationship, in: entity) else { return [] }
        return try database.lines(
            """
            SELECT s.mark, t.mark FROM (\(pairs)) AS p
            JOIN \(marks(ofTableOf: entity.name)) AS s ON s.identifier = p.source
            JOIN \(marks(ofTableOf: relationship.destinationName)) AS t ON t.identifier = p.target
            ORDER BY s.mark, p.position, t.mark
            """)
    }
}
