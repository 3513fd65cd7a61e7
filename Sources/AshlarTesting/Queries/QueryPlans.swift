public import Ashlar
import AshlarSQLite
public import Foundation
import IndexAdvice

/// Files with the plans of queries, which are committed and which a test compares: a lost index is seen in review, or fails
/// the test.
///
///     @Test func theFeedIsReadByItsIndexes() throws {
///         let recording = try QueryRecording(of: container) { try refresh() }
///         try QueryPlans.compare(recording, with: "Tests/FeedTests/Feed.plans")
///     }
///
/// `ASHLAR_UPDATE_PLANS=1` in the environment has the test write the file. It has an entry for each statement that finds
/// rows, in the order of their texts: the statement without its list of columns, and the steps of its plan. Values are never
/// in it. How often a statement ran makes no difference.
///
/// Plans are in the words of the SQLite that the test runs with, whose versions differ in some; let one version write and
/// compare a file.
public enum QueryPlans {
    /// Compares the plans of a recording with those of a file.
    ///
    /// - Parameters:
    ///   - recording: What ran. Insertions are left out, as they find nothing.
    ///   - path: The file's path, relative to the package that the test is in.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``QueryPlanError``; its description shows what differs.
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

    /// Compares the plans of all queries that a program recorded with those of a file.
    ///
    /// The program records them with a `StatementRecorder`, or with `ASHLAR_SQL_RECORD=FILE` in its environment. They are
    /// explained on an empty store of the model, so that the plans are the same whatever a store holds.
    ///
    /// - Parameters:
    ///   - recordings: The files of recorded statements.
    ///   - model: The program's model.
    ///   - path: The path of the file of plans, relative to the package that the test is in.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``QueryPlanError``; `StoreError` when there can be no store of the model.
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
