import DataModel
import RelationalSchema
import StoreDescription

/// Plans the statements that turn a store of one version into one of the next.
///
/// The statements are ordered so that each finds the state that it expects. First come all renames of tables, so that
/// SQLite updates references. Then rows are copied and computed, while all old columns exist. Then columns and tables
/// are dropped and renamed in place. References to deleted objects and the indexes come last.
final class StorePlanner {
    let match: ModelMatch
    let old: Version
    let new: Version
    let flows: [String: [RowFlow]]
    /// Whether others make and drop the tables of letters.
    let leavesLetterTables: Bool
    /// The new tables that old ones become, the join tables among them.
    var successors: [String: String] = [:]
    /// The names of old tables after the renames.
    var currentNames: [String: String] = [:]
    /// The old columns that stay in their tables, with their new names, by the new tables that are not written anew.
    var keptColumns: [String: [String: String]] = [:]

    var openings: [MigrationOperation] = []
    var checks: [MigrationStatement] = []
    var copies: [MigrationOperation] = []
    var clearings: [MigrationOperation] = []
    var sweeps: [MigrationStatement] = []
    var closings: [MigrationStatement] = []
    /// The checks that come after all of the author's statements.
    var finalChecks: [MigrationStatement] = []
    var diagnostics = Diagnostics()
    /// The columns of derived attributes whose triggers stay as they are.
    var keptDerivedColumns: Set<DerivedColumn> = []
    /// The new tables from which duplicates are deleted.
    var deduplicatedTables: Set<String> = []
    /// The relationships that keep objects from being deleted.
    var obstacles: [ModelMatch.Binding] = []

    init(_ match: ModelMatch, leavesLetterTables: Bool = false) {
        self.match = match
        self.leavesLetterTables = leavesLetterTables
        old = match.old
        new = match.new
        flows = RowFlow.all(match)
        findSuccessors()
        planRenames()
        planRenumbering()
        for table in new.schema.tables {
            switch table.content {
            case .objects: planObjects(of: table)
            case .links: planLinks(of: table)
            case .metadata: continue
            }
        }
        planLinkChecks()
        planRemovedTables()
        planDuplicates()
        planSweeps()
        planIndexes { !$0.isUnique }
        planDerivedColumns()
        planIndexes(where: \.isUnique)
        planRTrees()
        planFullTextTables()
        planDerivationTriggers()
        planAbstractEntities()
    }

    /// The statements in the order in which they are run, without the final checks.
    var statements: [MigrationStatement] {
        func changes(_ operations: [MigrationOperation]) -> [MigrationStatement] {
            operations.map { MigrationStatement($0) }
        }
        return changes(openings) + checks + changes(copies) + changes(clearings) + sweeps + closings
    }

    /// Returns the name of an old table after the renames.
    func currentName(_ oldTable: String) -> String { currentNames[oldTable] ?? oldTable }

    /// The same in quotation marks.
    func current(_ oldTable: String) -> String { SQLText.identifier(currentName(oldTable)) }

    /// The flow of the objects of an old table to a new one.
    func flow(from oldTable: String, to newTable: String) -> RowFlow? {
        flows[newTable]?.first { $0.oldTable == oldTable }
    }

    /// The condition for rows of an old table that belong to one of some entities; nil if all rows do.
    func condition(_ entityNames: some Collection<String>, of oldTable: String) -> String? {
        let all = old.entityNames[oldTable] ?? []
        guard entityNames.count < all.count, let root = all.first else { return nil }
        let column = SQLText.identifier(ColumnName.entity)
        let others = entityNames.filter { $0 != root }
        let isOther = "\(column) IN (\(SQLText.literals(others)))"
        if others.count == entityNames.count { return isOther }
        return others.isEmpty ? "\(column) IS NULL" : "(\(column) IS NULL OR \(isOther))"
    }

    /// Tables that no object leaves and that no other objects join are kept; join tables follow below.
    private func findSuccessors() {
        var targets: [String: Set<String>] = [:]
        for flow in flows.values.joined() { targets[flow.oldTable, default: []].insert(flow.newTable) }
        for (oldTable, newTables) in targets {
            guard newTables.count == 1, let newTable = newTables.first, flows[newTable]?.count == 1 else { continue }
            successors[oldTable] = newTable
        }
        for table in new.schema.tables where table.content == .links {
            guard let oldTable = keptJoinTable(of: table), successors[oldTable] == nil else { continue }
            successors[oldTable] = table.name
        }
    }
}
