import DataModel
import RelationalSchema

/// Objects made up from a model alone: legal values of every kind, NULL, links of every kind.
struct SampleRows {
    /// The number of objects of each entity. The first of each omits every value that may be absent.
    private static let count = 3

    private let version: Version
    /// The tables that get objects, and pairs of them.
    private let tables: [Table]
    /// The tables that get the identifiers of objects only.
    private let referencedTableNames: [String]
    /// The entities that get no objects, because the migration refuses any of them.
    private let emptyEntities: Set<String>
    /// The tables whose objects have every value.
    private let fullTables: Set<String>
    /// The identifiers of the objects of every entity, without those below it.
    private var identifiers: [String: [Int]] = [:]

    /// Prepares the objects of the old tables of a part of a migration.
    init(_ version: Version, _ part: ProofPart, emptyEntities: Set<String>, fullTables: Set<String>) {
        self.version = version
        tables = part.source.tables
        referencedTableNames = part.referencedTableNames
        self.emptyEntities = emptyEntities
        self.fullTables = fullTables
        for table in tables.map(\.name) + referencedTableNames {
            var next = 1
            for name in version.entityNames[table] ?? []
            where version.nodes[name]?.entity.isAbstract == false && !emptyEntities.contains(name) {
                // A gap, so that an identifier is not the number of a row.
                identifiers[name] = Array(next..<next + Self.count)
                next += Self.count + 2
            }
        }
    }

    /// Inserts the objects and their links, and deletes objects that turned out impossible.
    func insert(into database: ProofDatabase) throws(ProofDatabase.Failure) {
        for sql in insertions() { try database.run(sql) }
        // An object that a constraint refused may be one that others need, and they others.
        while try !database.foreignKeyViolations(limit: 1).isEmpty {
            for table in tables {
                for sql in deletions(from: table) { try database.run(sql) }
            }
        }
    }

    private func insertions() -> [String] {
        var statements: [String] = []
        for table in referencedTableNames { statements += insertions(ofIdentifiersInto: table) }
        for name in tables.flatMap({ version.entityNames[$0.name] ?? [] }) { statements += insertions(ofEntity: name) }
        for table in tables where table.content == .links { statements += insertions(into: table) }
        return statements
    }

    private func insertions(ofIdentifiersInto table: String) -> [String] {
        let rows = (version.entityNames[table] ?? []).flatMap { identifiers[$0] ?? [] }.map { "(\($0))" }
        return insertion(of: rows, into: table, [ColumnName.identifier])
    }

    private func identifiers(ofKind name: String) -> [Int] {
        (version.nodes[name]?.hierarchy ?? []).flatMap { identifiers[$0] ?? [] }
    }

    private func insertions(ofEntity name: String) -> [String] {
        guard let storage = version.nodes[name]?.storage else { return [] }
        let columns = storage.ownColumns.filter { !$0.isDerived }
        let position = version.entityNames[storage.tableName]?.firstIndex(of: name) ?? 0
        var names = [ColumnName.identifier, ColumnName.version]
        if storage.hasDiscriminator { names.append(ColumnName.entity) }
        names += columns.map(\.name)
        let rows = (identifiers[name] ?? []).enumerated().map { index, identifier in
            var values = ["\(identifier)", "\(index + 2)"]
            if storage.hasDiscriminator {
                values.append(storage.discriminator.map { SQLText.literal($0) } ?? "NULL")
            }
            let isSparse = index == 0 && !fullTables.contains(storage.tableName)
            for column in columns {
                values.append(
                    value(of: column, number: position * Self.count + index, identifier, isSparse: isSparse))
            }
            return "(\(values.joined(separator: ", ")))"
        }
        return insertion(of: rows, into: storage.tableName, names)
    }

    private func insertion(of rows: [String], into table: String, _ columnNames: [String]) -> [String] {
        if rows.isEmpty { return [] }
        return [
            """
            INSERT OR IGNORE INTO \(SQLText.identifier(table)) (\(SQLText.identifiers(columnNames)))
            VALUES \(rows.joined(separator: ",\n    "))
            """
        ]
    }

    private func value(of column: StoredColumn, number: Int, _ identifier: Int, isSparse: Bool) -> String {
        switch column.content {
        case .attribute(let attribute):
            if column.leaf?.isPresence == true { return isSparse ? "NULL" : "1" }
            return isSparse && attribute.isOptional ? "NULL" : Self.value(of: attribute.type, number)
        case .order: return isSparse ? "NULL" : "\((number + 1) * 1000)"
        case .toOne(let relationship):
            let targets = identifiers(ofKind: relationship.destinationName)
            if targets.isEmpty || (isSparse && relationship.isOptional) { return "NULL" }
            let inverse = version.inverse(of: PropertyName(column.entityName, relationship.name))
            if inverse == PropertyName(column.entityName, relationship.name) { return "\(identifier)" }
            let isToOne = inverse.flatMap { version.property($0)?.relationship }?.isToMany == false
            if isToOne && number >= targets.count { return "NULL" }
            return "\(targets[number % targets.count])"
        }
    }

    private static func value(of type: AttributeType, _ number: Int) -> String {
        switch type {
        case .boolean: "\(number % 2)"
        case .integer16, .integer32, .integer64: number % 3 == 2 ? "-\(number + 1)" : "\(number * 100)"
        case .float: "\(Float(number) + 0.25)"
        case .double, .date: "\(number).1"
        case .decimal: "'\(number).05'"
        case .uuid: "x'\(String(repeating: "0", count: 30))\(number % 90 + 10)'"
        case .binary, .transformable: "x'00ff\(number % 90 + 10)'"
        default: "'Größe 石 \(number)'"
        }
    }

    private func insertions(into table: Table) -> [String] {
        guard let key = version.joinOwners[table.name], let relationship = version.property(key)?.relationship else {
            return []
        }
        let sources = identifiers(ofKind: key.entityName)
        let targets = identifiers(ofKind: relationship.destinationName)
        let isSymmetric = version.inverse(of: key) == key
        var pairs: [(Int, Int)] = []
        for (index, source) in sources.enumerated() where index > 0 && !targets.isEmpty {
            for step in 0..<min(2, targets.count) {
                let target = targets[(index + step) % targets.count]
                pairs.append((source, target))
                if isSymmetric { pairs.append((target, source)) }
            }
        }
        let rows = pairs.enumerated().map { index, pair in
            let values = table.columns.map { column in
                switch column.name {
                case ColumnName.source: "\(pair.0)"
                case ColumnName.target: "\(pair.1)"
                default: "\((pairs.count - index) * 1000)"
                }
            }
            return "(\(values.joined(separator: ", ")))"
        }
        return insertion(of: rows, into: table.name, table.columns.map(\.name))
    }

    private func deletions(from table: Table) -> [String] {
        table.columns.compactMap { column in
            guard let reference = column.reference else { return nil }
            let name = SQLText.identifier(column.name)
            return """
                DELETE FROM \(SQLText.identifier(table.name))
                WHERE \(name) NOT IN (SELECT \(SQLText.identifier(ColumnName.identifier)) \
                FROM \(SQLText.identifier(reference.tableName)))
                """
        }
    }
}
