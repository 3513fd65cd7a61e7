import DataModel
import RelationalSchema

/// The plan that migrates a store from one version to the next.
///
/// The statements run in one immediate transaction that is already open, with foreign keys off, which a transaction
/// cannot change. `foreign_key_check` follows before the commit. The caller that runs the statements writes the store's
/// metadata.
public struct MigrationPlan: Sendable {
    public let source: Schema
    public let destination: Schema
    /// The changes as the author would describe them.
    public let steps: [MigrationStep]
    /// The statements in order.
    public internal(set) var statements: [MigrationStatement]
    /// The changes that cannot be inferred, as errors; the statements must then not be executed. Possible failures are
    /// warnings.
    public let diagnostics: Diagnostics
    /// The statements that make and drop tables of letters, in a plan that leaves them to others; else they are among
    /// ``statements``.
    let letterTables: LetterTableStatements
    /// The new entities whose objects get new identifiers, because they move into a table of other objects.
    public let renumberedEntityNames: Set<String>
    /// The versions as they were compared, for the proof.
    let old: Version
    let new: Version
    /// The old entity of each new one that is not new.
    let oldEntityNames: [String: String]
    /// The new tables from which duplicates are deleted.
    let deduplicatedTables: Set<String>
    /// The new entities whose objects may be duplicates, or may have to lead to one.
    let reducedEntityNames: Set<String>
    /// The old entities whose objects are deleted.
    let removedEntityNames: Set<String>
    /// The relationships by which other objects are deleted with those.
    let cascades: [ModelMatch.Binding]

    /// Plans the migration from one version to the next.
    ///
    /// - Parameter isReviewed: whether a deletion that the model does not name is an error.
    public init(from source: Schema, to destination: Schema, isReviewed: Bool = false) {
        self.init(from: Version(source), to: Version(destination), isReviewed: isReviewed)
    }

    /// Plans the migration from one version to the next.
    ///
    /// - Parameters:
    ///   - isReviewed: whether a deletion that the model does not name is an error.
    ///   - script: the author's SQL. If there is any, the graphs must be those of the whole versions.
    public init(
        from source: ModelGraph, to destination: ModelGraph, isReviewed: Bool = false,
        script: MigrationScript = MigrationScript()
    ) {
        self.init(
            from: Version(Schema(source)), to: Version(Schema(destination)), isReviewed: isReviewed, script: script)
    }

    /// Plans the migration of a part of a model, whose stores have the tables of letters that the whole model needs.
    /// The plan of the whole model reports the deletions.
    init(fromPart source: ModelGraph, to destination: ModelGraph) {
        self.init(from: Version(Schema(source)), to: Version(Schema(destination)), isPart: true)
    }

    private init(
        from old: Version, to new: Version, isReviewed: Bool = false, isPart: Bool = false,
        script: MigrationScript = MigrationScript()
    ) {
        source = old.schema
        destination = new.schema
        self.old = old
        self.new = new
        let match = ModelMatch(old: old, new: new)
        oldEntityNames = match.oldEntityNames
        let finder = StepFinder(match)
        let planner = StorePlanner(match, leavesLetterTables: isPart)
        letterTables = isPart ? LetterTableStatements(from: old.schema, to: new.schema) : .none
        steps = finder.steps
        func custom(_ statements: [MigrationScript.Statement]) -> [MigrationStatement] {
            statements.map { MigrationStatement($0.sql, purpose: .custom($0.location)) }
        }
        statements = custom(script.before) + planner.statements + custom(script.after) + planner.finalChecks
        renumberedEntityNames = Set(
            planner.flows.values.joined().filter(\.isRenumbered).flatMap { $0.pairs.map(\.new) })
        deduplicatedTables = planner.deduplicatedTables
        removedEntityNames = match.removedEntityNames
        cascades = match.bindings(toDeleted: removedEntityNames).filter(\.isCascading)
        let duplicates = deduplicatedTables.flatMap { new.entityNames[$0] ?? [] }
        let leading = match.bindings(toDeleted: Set(duplicates.compactMap { match.oldEntityNames[$0] }))
        reducedEntityNames = Set(duplicates).union(leading.filter(\.isCascading).map(\.entityName))
        var diagnostics = finder.diagnostics
        diagnostics.report(contentsOf: planner.diagnostics)
        if !finder.diagnostics.hasErrors, !isPart {
            diagnostics.report(contentsOf: LossFinder(finder, isReviewed: isReviewed).diagnostics)
        }
        self.diagnostics = diagnostics
    }
}
