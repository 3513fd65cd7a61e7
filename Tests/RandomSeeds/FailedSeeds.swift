/// Seeds that a test once failed with. Every run begins with them, so that a mistake that was found by chance is found
/// again. The failure prints the line to add; a comment beside it names the mistake.
package let failedSeeds: [Seed] = [
    // A batch reported as inserted a row that another program had renumbered beyond sqlite_sequence.
    Seed(211_197_980, in: "AshlarTests/ChangesetTests"),
    // Two contexts saved by turns: one wrote a reference to an object that the other had deleted, and SQLite refused
    // it.
    Seed(942_064_789, in: "AshlarTests/FetchedResultsRandomTests"),
    Seed(5028, in: "AshlarTests/FetchedResultsRandomTests"),
    // The test's: a section that was gone, and two portraits of one author.
    Seed(971_843_461, in: "AshlarTests/ChangesetTests"),
    Seed(211_197_976, in: "AshlarTests/ChangesetTests"),
    // In a child context, a condition on existence without pending changes had no order, so that a limit kept another
    // row.
    Seed(45_102_769, in: "AshlarTests/PendingAnswersTests"),
    // A child context judged changed objects before it read its parent's changes.
    Seed(826_904_002, in: "AshlarTests/PendingAnswersTests"),
    // The advice proposed an index for no query.
    Seed(63_171_503, in: "IndexAdviceTests/RandomAdviceTests"),
    // Advice was given again after it was followed.
    Seed(165_626_227, in: "IndexAdviceTests/RandomAdviceTests"),
    // SQLite preferred another index to the proposed one.
    Seed(165_626_231, in: "IndexAdviceTests/RandomAdviceTests"),
    // A query's plan was worse with the index that was proposed for it.
    Seed(386_633_460, in: "IndexAdviceTests/RandomAdviceTests"),
    // The reader warns of maxCount="0" without toMany, and the schema accepts it.
    Seed(29_454_933, in: "ModelFormatTests/SchemaAgreementTests"),
    // An index that cannot be made, as its table lacks the column; a reference that appeared when an index was
    // repaired; an R-tree that cannot be made.
    Seed(127_756_644, in: "WorkbenchTests/RandomDamageTests"),
    Seed(127_756_907, in: "WorkbenchTests/RandomDamageTests"),
    Seed(127_758_290, in: "WorkbenchTests/RandomDamageTests"),
    // Undo put a member last if its owner was not loaded.
    Seed(514_173_972, in: "StoreBrowsingTests/EditingAgreementTests"),
    // Three columns changed one after the other, and undo left the third at its changed value.
    Seed(635_207_040, in: "AshlarTests/UndoneValuesTests"),
    // The test's: a save that finds a conflict merges its row also if another context saved it before merging was on.
    Seed(770_000_009, in: "OracleTests/MergingOracleTests"),
    Seed(770_000_035, in: "OracleTests/MergingOracleTests"),
    Seed(770_000_070, in: "OracleTests/MergingOracleTests"),
    Seed(770_000_071, in: "OracleTests/MergingOracleTests"),
    Seed(770_000_082, in: "OracleTests/MergingOracleTests"),
    Seed(770_000_092, in: "OracleTests/MergingOracleTests"),
    // The policy of a merge kept nothing, but the object still counted as changed, so that a fetch did not refresh it.
    Seed(31_001_055, in: "OracleTests/MergingOracleTests"),
    Seed(31_001_705, in: "OracleTests/MergingOracleTests"),
    // A merge left two keepers with one locker. The context had changed one of them.
    Seed(770_000_014, in: "OracleTests/GraphConflictOracleTests"),
    Seed(770_000_027, in: "OracleTests/GraphConflictOracleTests"),
    Seed(770_000_028, in: "OracleTests/GraphConflictOracleTests"),
    // A deletion was taken back after another context's batch had changed the row.
    Seed(555_000_010, in: "OracleTests/GraphConflictOracleTests"),
    // A context merged a deletion while its child saved into it; a child had only one side of its parent's new pairs.
    Seed(770_000_025, in: "OracleTests/GraphConflictOracleTests"),
    // The removal of an object that was not a member counted as a change, which an undo took back in place of another
    // one.
    Seed(770_000_015, in: "OracleTests/GraphOracleTests"),
    Seed(770_000_021, in: "OracleTests/GraphOracleTests"),
]
