import RelationalSchema

/// A part of a migration that is proven on a database of its own.
struct ProofPart: Sendable {
    /// The statements in order, with ``schemaCheck`` where statements of other parts come between.
    let statements: [MigrationStatement]
    /// The tables before.
    let source: SchemaTables
    /// The tables after.
    let destination: SchemaTables
    /// The old tables of other parts that foreign keys refer to. They are not changed, so that only the identifiers of
    /// their objects are needed.
    let referencedTableNames: [String]
    /// The tables of letters that are only read.
    let letterTables: [LetterTable]

    /// Makes SQLite check the schema, without any change.
    ///
    /// A statement of another part causes this check too, and would find a trigger that names something that this part
    /// dropped.
    static let schemaCheck = MigrationStatement(
        "ALTER TABLE \(SQLText.identifier(checkedTableName)) RENAME COLUMN \"a\" TO \"a\"")
    private static let checkedTableName = "ashlar$checked"

    /// The whole migration.
    init(allOf plan: MigrationPlan) {
        statements = plan.provenStatements
        source = plan.source.allTables
        destination = plan.destination.allTables
        referencedTableNames = []
        letterTables = []
    }

    init(
        statements: [MigrationStatement], source: SchemaTables, destination: SchemaTables,
        referencedTableNames: [String], letterTables: [LetterTable]
    ) {
        self.statements = statements
        self.source = source
        self.destination = destination
        self.referencedTableNames = referencedTableNames
        self.letterTables = letterTables
    }

    /// The statements that create the old tables.
    var creations: [String] {
        let identifier = SQLText.identifier(ColumnName.identifier)
        return source.statements + letterTables.flatMap { [$0.definition, $0.filling] }
            + referencedTableNames.map { "CREATE TABLE \(SQLText.identifier($0)) (\(identifier) INTEGER PRIMARY KEY)" }
            + (statements.contains(Self.schemaCheck)
                ? ["CREATE TABLE \(SQLText.identifier(Self.checkedTableName)) (\"a\")"] : [])
    }

    /// The tables of the database besides those before and after.
    var surroundings: Set<String> {
        Set(referencedTableNames + letterTables.map(\.name) + [Self.checkedTableName])
    }
}

extension MigrationPlan {
    /// The statements, including those that a plan for a part of a model leaves to others.
    var provenStatements: [MigrationStatement] { letterTables.creations + statements + letterTables.removals }
}
