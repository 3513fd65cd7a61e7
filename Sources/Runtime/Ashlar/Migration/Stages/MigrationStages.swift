import AshlarSQLite
import SystemFoundation

/// The custom stages of a chain, by the positions of the versions that they lead to.
struct MigrationStages {
    private var stages: [Int: MigrationStage] = [:]

    /// The positions of the versions that custom stages lead to.
    var versions: Set<Int> { Set(stages.keys) }

    /// No stages.
    init() {}

    /// Creates the stages of a plan that are on the way of a chain.
    ///
    /// - Throws: ``StoreError/invalidMigrationStage(from:to:reason:)`` for a stage that is not between two successive
    ///   versions of the model, and ``StoreError/missingMigrationStage(_:from:to:)`` if the model requires a stage that
    ///   is missing.
    init(_ plan: (any SchemaMigrationPlan.Type)?, of model: ModelDescription, from start: Int, _ url: URL) throws {
        for stage in plan?.stages ?? [] {
            let (from, to) = (stage.source.versionName, stage.destination.versionName)
            func invalid(_ reason: String) -> StoreError { .invalidMigrationStage(from: from, to: to, reason: reason) }
            for version in [stage.source, stage.destination] where version.model.modelDescription.name != model.name {
                throw invalid("\(version.versionName) is a version of the model \(version.model.modelDescription.name)")
            }
            guard let position = model.versions.firstIndex(where: { $0.name == to }) else {
                throw invalid("the model has no version \"\(to)\"")
            }
            // The program may have removed versions that no store has any more.
            if position == 0, !model.versions.contains(where: { $0.name == from }) { continue }
            guard position > 0, model.versions[position - 1].name == from else {
                throw invalid("the version before \"\(to)\" is another one; a stage leads from a version to the next")
            }
            guard stage.isCustom else { continue }
            if stages.updateValue(stage, forKey: position) != nil { throw invalid("there is another such stage") }
            for transform in stage.transforms where !transform.new.keepsRowIDs {
                throw invalid(
                    "rows of \(transform.new.entity) get new numbers, so a transform cannot find their old rows")
            }
        }
        for position in model.versions.indices where model.versions[position].needsStage && stages[position] == nil {
            guard position > start else { continue }
            throw StoreError.missingMigrationStage(
                url, from: model.versions[position - 1].name, to: model.versions[position].name)
        }
    }

    /// The stage that leads to a version.
    subscript(position: Int) -> MigrationStage? { stages[position] }
}

extension MigrationStage {
    /// Returns the name of the table that keeps the older rows of a transform.
    private static func copy(_ index: Int) -> String { "temp.\"ashlar$stage\(index)\"" }

    /// Runs the custom code that precedes the planned statements, and copies the older rows for the transforms.
    func begin(_ store: StageStore, _ connection: Connection, _ monitor: MigrationMonitor) throws {
        defer { store.close() }
        try willMigrate?(store)
        for (index, transform) in transforms.enumerated() {
            let table = transform.old
            let columns = table.columns.indices.map { ", \"c\($0)\"" }.joined()
            // Columns without a type keep every value unchanged.
            try connection.execute("CREATE TABLE \(Self.copy(index)) (\"id$\" INTEGER PRIMARY KEY\(columns))")
            try monitor.watching(connection) {
                try connection.execute(
                    """
                    INSERT INTO \(Self.copy(index)) ("id$"\(columns))
                    SELECT "id$"\(table.columnList) FROM \(table.name.quotedIdentifier) WHERE \(table.condition)
                    """)
            }
        }
    }

    /// Runs the transforms, and the custom code that follows the planned statements.
    func end(_ store: StageStore, _ connection: Connection) throws {
        defer { store.close() }
        for (index, transform) in transforms.enumerated() {
            try transform.run(store, Self.copy(index))
            try connection.execute("DROP TABLE \(Self.copy(index))")
        }
        try didMigrate?(store)
    }
}
