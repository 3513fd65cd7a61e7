import Testing

@testable import Ashlar

/// Stores from before saves compared partners, in which a one-to-one relationship of several rows leads to the same
/// row.
@Suite struct SharedReferenceTests {
    private let folder: TemporaryFolder
    private let token: PersistentHistoryToken?

    /// Makes a store in which both skippers refer to the vessel, and both licences to the first skipper.
    init() throws {
        folder = try TemporaryFolder()
        let container = try Self.open(folder)
        let context = ModelContext(container)
        context.insert(Vessel(name: "vessel"))
        for name in ["a", "b"] {
            let skipper = Skipper(name: name)
            context.insert(skipper)
            context.insert(Licence(holder: skipper))
        }
        try context.save()
        token = try container.fetchHistory().last?.token
        try container.execute("UPDATE \"Skipper\" SET \"vessel\" = 1")
        try container.execute("UPDATE \"Licence\" SET \"holder\" = 1")
    }

    private static func open(_ folder: TemporaryFolder, allowsSave: Bool = true) throws -> ModelContainer {
        try ModelContainer(
            for: HarborModel.self,
            configurations: ModelConfiguration(
                url: folder.file(), allowsSave: allowsSave, options: StoreOptions(historyTracking: true)))
    }

    private static let problems: Set = [
        "Rows 1, 2 of Skipper all lead to row 1 by Skipper.vessel, which is one-to-one.",
        requiredProblem,
    ]
    private static let requiredProblem =
        "Rows 1, 2 of Licence all lead to row 1 by Licence.holder, which is one-to-one."

    private func forgetThatItWasSettled() throws {
        try ForeignDatabase.connect(folder.file())
            .execute("DELETE FROM \"ashlar$metadata\" WHERE \"key\" = 'singleReferences'")
    }

    @Test func theFirstOpeningSettlesAndReportsThem() throws {
        try forgetThatItWasSettled()
        do {
            let container = try Self.open(folder)
            let context = ModelContext(container)
            let skippers = try context.fetch(Skipper.order { $0.name.ascending })
            #expect(skippers.map { $0.vessel?.name } == [nil, "vessel"])
            #expect(try context.fetch(Vessel.all).map { $0.skipper?.name } == ["b"])
            // A required reference cannot become nil.
            #expect(try container.integrityProblems() == [Self.requiredProblem])
            let changes = try container.fetchHistory(.fetchHistory(after: token)).flatMap(\.changes)
            #expect(changes.map(\.changedObjectID).contains(skippers[0].persistentModelID))
        }
        let records = try Self.open(folder).migrationHistory()
        #expect(records.map(\.kind) == [.referenceRepair])
        #expect(records.map(\.detail) == ["Skipper.vessel of row 1, which led to row 1"])
    }

    @Test func rowsThatAnotherProgramWroteLaterAreOnlyReported() throws {
        let container = try Self.open(folder)
        #expect(Set(try container.integrityProblems()) == Self.problems)
        #expect(try container.migrationHistory() == [])
    }

    @Test func aStoreThatIsOnlyReadStays() throws {
        try forgetThatItWasSettled()
        #expect(Set(try Self.open(folder, allowsSave: false).integrityProblems()) == Self.problems)
        #expect(try Self.open(folder).integrityProblems() == [Self.requiredProblem])
    }

    /// The next opening settles the store.
    @Test func anotherConnectionThatWritesDoesNotKeepItClosed() throws {
        try forgetThatItWasSettled()
        let connection = try ForeignDatabase.connect(folder.file())
        try connection.execute("BEGIN IMMEDIATE")
        let configuration = ModelConfiguration(
            url: folder.file(), options: StoreOptions(busyTimeout: .milliseconds(1), historyTracking: true))
        let container = try ModelContainer(for: HarborModel.self, configurations: configuration)
        #expect(Set(try container.integrityProblems()) == Self.problems)
        try connection.execute("COMMIT")
        #expect(try Self.open(folder).integrityProblems() == [Self.requiredProblem])
    }
}
