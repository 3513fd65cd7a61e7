public import Ashlar
import AshlarSQLite
public import Foundation
import IndexAdvice

/// Files of query plans, with which a test compares the present plans.
///
/// Commit the files, so that a lost index fails the test or is seen in review.
///
///     @Test func theFeedIsReadByItsIndexes() throws {
///         let recording = try QueryRecording(of: container) { try refresh() }
///         try QueryPlans.compare(recording, with: "Tests/FeedTests/Feed.plans")
///     }
///
/// With the environment variable `ASHLAR_UPDATE_PLANS=1`, the test writes the file. It has an entry for each query,
/// ordered by text: the statement without its list of columns, and the steps of its plan. It contains no values and no
/// counts.
///
/// The plans are those of the test's SQLite version, and may differ in others. Write and compare a file with the same
/// version.
public enum QueryPlans {
    /// Compares the plans of a recording with those in a file.
    ///
    ///     let recording = try QueryRecording(of: container) { try refresh() }
    ///     try QueryPlans.compare(recording, with: "Tests/FeedTests/Feed.plans")
    ///
    /// - Parameters:
    ///   - recording: The executed statements. Insertions are ignored.
    ///   - path: The file's path, relative to the package of the test.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``QueryPlanError``, whose description shows the differences.
    public static func compare(
        _ recording: QueryRecording, with path: String, sourceFile: String = #filePath
    ) throws(QueryPlanError) {
        try compare(recording, with: path, from: sourceFile, isWriting: isUpdating)
    }

    static func compare(
        _ recording: QueryRecording, with path: String, from sourceFile: String, isWriting: Bool
    ) throws(QueryPlanError) {
        var file = PlanFile()
        for statement in recording.statements where !StatementText.isInsertion(statement.sql) {
            file.add(statement.sql, statement.plan)
        }
        try file.compare(withFileAt: PackageFolder(of: sourceFile).resolve(path), isWriting: isWriting)
    }

    /// Compares the plans of all queries that a program recorded with those in a file.
    ///
    /// The program records with a `StatementRecorder`, or with the environment variable `ASHLAR_SQL_RECORD=FILE`. The
    /// queries are explained on an empty store, so that the plans do not depend on data.
    ///
    ///     try QueryPlans.compare(recordedAt: url, for: PhotoFeedModel.self, with: "Tests/FeedTests/Feed.plans")
    ///
    /// - Parameters:
    ///   - recordings: The files of recorded statements.
    ///   - model: The program's model.
    ///   - path: The path of the file of plans, relative to the package of the test.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``QueryPlanError``, or `StoreError` if no store of the model can be created.
    public static func compare(
        recordedAt recordings: URL..., for model: any ManagedObjectModel.Type, with path: String,
        sourceFile: String = #filePath
    ) throws {
        let recording: StatementRecording
        do throws(StatementRecording.Failure) {
            recording = try StatementRecording(contentsOf: recordings)
        } catch {
            switch error {
            case .unreadable(let path, let reason): throw QueryPlanError.unreadable(path: path, reason: reason)
            case .tooLarge(let path): throw QueryPlanError.unreadable(path: path, reason: "\(error)")
            }
        }
        let container = try ModelContainer.inMemory(for: model)
        var file = PlanFile()
        for query in recording.queries {
            let steps: [ExplainedStep]
            do {
                steps = try container.explanation(of: query.sql)
            } catch let error as SQLiteError {
                throw QueryPlanError.notExplained(sql: query.sql, reason: error.message)
            }
            file.add(query.sql, QueryPlan(explained: steps).lines)
        }
        try file.compare(withFileAt: PackageFolder(of: sourceFile).resolve(path), isWriting: isUpdating)
    }

    private static var isUpdating: Bool {
        ProcessInfo.processInfo.environment["ASHLAR_UPDATE_PLANS"].map { !$0.isEmpty && $0 != "0" } ?? false
    }
}
