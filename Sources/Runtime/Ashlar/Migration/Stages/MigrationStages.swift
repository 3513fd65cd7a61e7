import AshlarSQLite
import SystemFoundation

/// The custom stages of a chain, by the positions of the versions that they lead to.
struct MigrationStages {
    private var stages: [Int: MigrationStage] = [:]

    /// The positions of the versions that code leads to.
    var versions: Set<Int> { Set(stages.keys) }

    /// No stages.
    init() {}

    /// The stages of a plan that a chain comes by.
    ///
    /// Throws ``StoreError/invalidMigrationStage(from:to:reason:)`` for a stage that is between no two versions of the
    /// model that follow each other, and ``StoreError/missingMigrationStage(_:from:to:)`` where the model demands one that
    /// is not there.
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
            // A program may have left the versions behind that nobody has stores of any more.
            if position == 0, !model.versions.contains(where: { $0.name == from }) { continue }
            guard position > 0, model.versions[position - 1].name == from else {
                throw invalid("the version before \"\(to)\" is another one; a stage leads from a version to the next")
            }
            guard stage.isCustom else { continue }
            if stages.updateValue(stage, forKey: position) != nil { throw invalid("there is another such stage") }
            for transform in stage.transforms where !transform.new.keepsRowIDs {
                throw invalid(
                    "rows of \(transform.new.entity) get new numbers, so that a transform cannot find what they were")
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
    /// The table in which the older rows of a transform wait.
    private static func copy(_ index: Int) -> String { "temp.\"ashlar$stage\(index)\"" }

    /// Does what comes before the planned statements.
    func begin(_ store: StageStore, _ connection: Connection, _ monitor: MigrationMonitor) throws {
        defer { store.close() }
        try willMigrate?(store)
        for (index, transform) in transforms.enumerated() {
            let table = transform.old
            let columns = table.columns.indices.map { ", \"c\($0)\"" }.joined()
            // Columns without a type keep every value as it is.
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

    /// Does what comes after them.
    func end(_ store: StageStore, _ connection: Connection) throws {
        defer { store.close() }
        for (index, transform) in transforms.enumerated() {
            try transform.run(store, Self.copy(index))
            try connection.execute("DROP TABLE \(Self.copy(index))")
        }
        try didMigrate?(store)
    }
}
