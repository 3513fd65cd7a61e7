import ChainCollapse
import DataModel
import RelationalSchema

/// The independent parts of a migration.
///
/// SQLite reads the whole schema again whenever a statement changes a table, so that proving a migration of many tables
/// on one database takes quadratic time. Two tables are in one part if a statement, a trigger or an index concerns
/// both, or if one refers to the other and the other's rows may change. A table that no statement can reach, and that
/// is the same before and after, is in no part.
struct ProofDivision {
    private let plan: MigrationPlan
    private var groups = NameGroups()
    /// The names that there are in either schema, and those that statements create.
    private var names: Set<String> = []
    /// Names that mark the groups with something to prove: at least one of each such group.
    private var touched: Set<String> = []
    /// The tables of letters that are the same before and after, and that are only read.
    private var letterTables: [LetterTable] = []

    /// The parts, of about as many tables each; nil if the effect of a statement is unclear.
    ///
    /// - Parameter tableLimit: The number of tables up to which small groups are combined.
    static func parts(of plan: MigrationPlan, tableLimit: Int) -> [ProofPart]? {
        var division = ProofDivision(plan: plan)
        let texts = plan.provenStatements.map { StatementNames($0) }
        division.findLetterTables(texts)
        guard let firstNames = division.connectStatements(texts) else { return nil }
        division.connectDerivedColumns()
        division.touchDifferences()
        return division.parts(texts, firstNames, tableLimit)
    }

    private init(plan: MigrationPlan) {
        self.plan = plan
        for schema in [plan.source, plan.destination] { register(schema) }
    }

    // MARK: Grouping

    private mutating func register(_ schema: Schema) {
        for table in schema.tables { register(table.name, of: table.name) }
        for table in schema.letterTables { register(table.name, of: table.name) }
        for index in schema.indexes { register(index.name, of: index.tableName) }
        for rtree in schema.rtrees {
            register(rtree.name, of: rtree.tableName)
            for trigger in rtree.triggers { register(trigger.name, of: trigger.tableName) }
        }
        for table in schema.fullTextTables {
            register(table.name, of: table.tableName)
            for trigger in table.triggers { register(trigger.name, of: trigger.tableName) }
        }
        for trigger in schema.derivedColumns.flatMap(\.triggers) { register(trigger.name, of: trigger.tableName) }
    }

    private mutating func register(_ name: String, of tableName: String) {
        names.insert(name)
        groups.connect(tableName, name)
    }

    private mutating func findLetterTables(_ texts: [StatementNames]) {
        letterTables = plan.source.letterTables.filter { table in
            let name = SQLName(table.name)
            return plan.destination.letterTables.contains(table)
                && !texts.contains { text in text.names.contains { SQLName($0) == name } }
        }
    }

    /// Connects the names in each statement. Returns one name of each, or nil if a statement cannot be analyzed.
    private mutating func connectStatements(_ texts: [StatementNames]) -> [String]? {
        for name in texts.compactMap(\.created) { register(name, of: name) }
        let spellings = Dictionary(names.map { (SQLName($0), $0) }) { first, _ in first }
        var firstNames: [String] = []
        var changedTables: Set<SQLName> = []
        for text in texts {
            // The author may write names in small or capital letters.
            let known = connectedNames(text).compactMap { name in
                text.isCustom ? spellings[SQLName(name)] : names.contains(name) ? name : nil
            }
            guard !text.isUnclear, let first = known.first else { return nil }
            for name in known { groups.connect(first, name) }
            if !text.keepsRows { changedTables.formUnion(known.map { SQLName($0) }) }
            touched.formUnion(known)
            firstNames.append(first)
        }
        connectReferences(to: changedTables)
        return firstNames
    }

    /// The names in a text other than those of the letters that it reads.
    private func connectedNames(_ text: StatementNames) -> [String] {
        text.names + text.joinedNames.filter { name in !letterTables.contains { SQLName($0.name) == SQLName(name) } }
    }

    /// Connects the tables whose rows refer to these tables, because deletions here may affect them.
    private mutating func connectReferences(to tableNames: Set<SQLName>) {
        for table in plan.source.tables + plan.destination.tables {
            for name in table.referencedTableNames where tableNames.contains(SQLName(name)) {
                groups.connect(name, table.name)
            }
        }
    }

    /// Connects derived columns with all tables that they are derived from.
    private mutating func connectDerivedColumns() {
        for column in Set(plan.source.derivedColumns).union(plan.destination.derivedColumns) {
            for text in [column.value] + column.triggers.map(\.definition) {
                for name in connectedNames(StatementNames(text, isCustom: false)) where names.contains(name) {
                    groups.connect(column.tableName, name)
                }
            }
        }
    }

    /// Tables that are not the same before and after have something to prove whether or not a statement names them.
    private mutating func touchDifferences() {
        let (before, after) = (plan.source, plan.destination)
        touch(before.tables, after.tables, by: \.name)
        touch(before.letterTables, after.letterTables, by: \.name)
        touch(before.indexes, after.indexes, by: \.tableName)
        touch(before.rtrees, after.rtrees, by: \.tableName)
        touch(before.fullTextTables, after.fullTextTables, by: \.tableName)
        touch(before.derivedColumns, after.derivedColumns, by: \.tableName)
        for (table, entityNames) in plan.new.entityNames {
            if entityNames != plan.old.entityNames[table] { touched.insert(table) }
            for name in entityNames {
                let oldName = plan.oldEntityNames[name]
                let oldTable = oldName.flatMap { plan.old.nodes[$0]?.storage.tableName }
                if oldName == name, oldTable == table { continue }
                touched.insert(table)
                groups.connect(table, oldTable)
            }
        }
    }

    private mutating func touch<Element: Hashable>(
        _ before: [Element], _ after: [Element], by tableName: (Element) -> String
    ) {
        for element in Set(before).symmetricDifference(after) { touched.insert(tableName(element)) }
    }

    // MARK: Parts of about one size

    private mutating func parts(
        _ texts: [StatementNames], _ firstNames: [String], _ tableLimit: Int
    ) -> [ProofPart] {
        let tableNames = tableNames
        let numbers = partNumbers(of: tableNames, firstNames, tableLimit)
        let count = (numbers.values.max() ?? -1) + 1
        var partNumbers: [String: Int] = [:]
        for name in tableNames { partNumbers[name] = numbers[groups.group(of: name)] }
        let statements = partStatements(texts, firstNames.map { numbers[groups.group(of: $0)] ?? 0 }, count)
        let sources = plan.source.tables(inParts: count) { partNumbers[$0] }
        let destinations = plan.destination.tables(inParts: count) { partNumbers[$0] }
        return (0..<count).map { number in
            let (source, destination) = (sources[number], destinations[number])
            var seen: Set<String> = []
            let references = (source.tables + destination.tables).flatMap(\.referencedTableNames).filter { name in
                partNumbers[name] != number && plan.old.tables[name] != nil && seen.insert(name).inserted
            }
            let foldings = (source.derivedColumns + destination.derivedColumns).map(\.foldings)
            return ProofPart(
                statements: statements[number], source: source, destination: destination,
                referencedTableNames: references,
                letterTables: letterTables.filter { table in foldings.contains { $0.contains(table.folding) } })
        }
    }

    /// The statements of each part.
    private func partStatements(
        _ texts: [StatementNames], _ numbers: [Int], _ count: Int
    ) -> [[MigrationStatement]] {
        var result = [[MigrationStatement]](repeating: [], count: count)
        /// The number of statements that had checked the schema before the latest statement of each part.
        var seenChecks = [Int](repeating: 0, count: count)
        var checkCount = 0
        for ((statement, text), number) in zip(zip(plan.provenStatements, texts), numbers) {
            if seenChecks[number] < checkCount, !result[number].isEmpty { result[number].append(ProofPart.schemaCheck) }
            result[number].append(statement)
            if text.checksSchema { checkCount += 1 }
            seenChecks[number] = checkCount
        }
        for number in 0..<count where seenChecks[number] < checkCount && !result[number].isEmpty {
            result[number].append(ProofPart.schemaCheck)
        }
        return result
    }

    /// The names of the tables of either schema, each once.
    private var tableNames: [String] {
        var seen: Set<String> = []
        return [plan.source, plan.destination].flatMap { $0.tables.map(\.name) + $0.letterTables.map(\.name) }
            .filter { seen.insert($0).inserted }
    }

    /// The numbers of the parts by the groups that they belong to, in the order of the tables; groups without tables
    /// come last.
    private mutating func partNumbers(
        of tableNames: [String], _ firstNames: [String], _ tableLimit: Int
    ) -> [Int: Int] {
        let touchedGroups = Set(touched.map { groups.group(of: $0) })
        var sizes: [Int: Int] = [:]
        for name in tableNames { sizes[groups.group(of: name), default: 0] += 1 }
        var numbers: [Int: Int] = [:]
        var (number, size) = (0, 0)
        for group in (tableNames + firstNames).map({ groups.group(of: $0) })
        where touchedGroups.contains(group) && numbers[group] == nil {
            let added = sizes[group] ?? 0
            if size > 0, size + added > tableLimit { (number, size) = (number + 1, 0) }
            numbers[group] = number
            size += added
        }
        return numbers
    }
}

extension Table {
    /// The tables that foreign keys lead to.
    fileprivate var referencedTableNames: [String] { columns.compactMap { $0.reference?.tableName } }
}
