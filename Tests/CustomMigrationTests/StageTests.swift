import Foundation
import Synchronization
import Testing

@_spi(Generated) @testable import Ashlar

/// Code of a program's own in the middle of a migration.
@Suite struct StageTests {
    private typealias First = WorkshopModel.Version1
    private typealias Second = WorkshopModel.Version2

    private let folder: URL
    private var url: URL { folder.appendingPathComponent("test.store") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func open(_ plan: any SchemaMigrationPlan.Type) throws -> ModelContainer {
        try ModelContainer(
            for: WorkshopModel.self, migrationPlan: plan, configurations: ModelConfiguration(url: url))
    }

    @Test(
        "rows 161, 163, 166: values of the old version become values of the new one",
        arguments: [0, 1, 255, 256, 257, 1000])
    func valuesOfTheOldVersionBecomeValuesOfTheNew(_ count: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: count)
        let before = try Workshop.connect(url).rows(
            "SELECT id$, name, price, serial, made, power FROM Part ORDER BY id$")
        let container = try open(WorkshopMigrations.self)
        let after = try Workshop.connect(url).rows(
            "SELECT id$, name, price, serial, made, power FROM Part WHERE entity$ IS NOT 'Spare' ORDER BY id$")
        #expect(after == before)
        let context = ModelContext(container)
        let parts = try context.fetch(Part.where { !$0.is(Spare.self) })
        #expect(parts.count == count)
        for part in parts {
            let number = part.persistentModelID.rowID
            #expect(part.width == Int32(number) && part.height == Int32(number * 2))
            #expect(part.supplier?.name == "unknown")
            #expect(part.label == "L;part \(number)" && part.labelKey == "L;PART \(number)")
            #expect(part.notes.map(\.text) == (number % 10 == 0 ? ["was \(number)x\(number * 2)"] : []))
            #expect(part.extent?.depth == (number % 4 == 0 ? nil : Double(number) / 2))
            #expect((part is Machine) == (number % 3 == 0))
        }
        #expect(try context.fetchCount(Supplier.all) == 1)
        let records = try container.migrationHistory()
        #expect(records.map(\.detail) == ["with a custom stage", ""])
        // The stage runs once.
        #expect(try ModelContext(open(WorkshopMigrations.self)).fetchCount(Supplier.all) == 1)
    }

    @Test func withoutTheStageTheStoreStaysAsItWas() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: 3)
        let before = try Data(contentsOf: url)
        #expect {
            _ = try ModelContainer(for: WorkshopModel.self, at: url)
        } throws: { error in
            guard case StoreError.missingMigrationStage(_, "Workshop", "Workshop 2") = error else { return false }
            return true
        }
        #expect(try Data(contentsOf: url) == before)
        #expect(throws: StoreError.self) {
            try ModelContainer.plannedMigration(ofStoreAt: url, for: WorkshopModel.self)
        }
        var options = MigrationOptions()
        options.plan = WorkshopMigrations.self
        let planned = try ModelContainer.plannedMigration(ofStoreAt: url, for: WorkshopModel.self, options: options)
        #expect(planned.steps.map(\.destination) == ["Workshop 2", "Workshop 3"])
    }

    private enum Failing: SchemaMigrationPlan {
        static var stages: [MigrationStage] { WorkshopMigrations.stages }
    }

    @Test func aStageThatThrowsLeavesTheStoreAsItWas() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: 600)
        try Workshop.connect(url).execute("UPDATE Part SET size = 'large' WHERE id$ = 599")
        let rows = "SELECT id$, name, size FROM Part"
        let before = try Workshop.connect(url).rows(rows)
        #expect(throws: SizeError(size: "large")) { try open(Failing.self) }
        #expect(try Workshop.connect(url).rows(rows) == before)
        try Workshop.connect(url).execute("UPDATE Part SET size = '1x1' WHERE id$ = 599")
        _ = try open(Failing.self)
    }

    // MARK: Reading and writing in a stage

    private enum Editing: SchemaMigrationPlan {
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: First.self, toVersion: Second.self,
                    willMigrate: { store in
                        var names: [String] = []
                        try store.forEach(First.Machine.self) { names.append($0.name) }
                        #expect(names == ["part 3", "part 6", "part 9"])
                        #expect(try store.delete(First.Part.self) { $0.rowID > 8 } == 2)
                        #expect(try store.update(First.Machine.self) { $0.power += 100 } == 2)
                        #expect(try store.insert(First.Machine(rowID: 50, name: "new", power: 7)) == 50)
                        let plain = First.Part(extentIsPresent: true, extentDepth: 1, name: "plain")
                        #expect(try store.insert(plain) == 51)
                        #expect(try store.execute("UPDATE Spare SET name = ?1", [.text("other")]) == 1)
                        #expect(try store.rows("SELECT name FROM Spare") == [[.text("other")]])
                    },
                    didMigrate: { store in
                        #expect(try store.update(Second.Part.self) { _ in } == 0)
                        try store.forEach(Second.Part.self) { #expect($0.width == 0) }
                    })
            ]
        }
    }

    @Test("row 160: a stage reads and writes any version") func aStageReadsAndWritesAnyVersion() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: 10)
        let context = ModelContext(try open(Editing.self))
        let machines = try context.fetch(Machine.all).sorted { $0.power < $1.power }
        #expect(machines.map(\.power) == [7, 103, 106])
        #expect(machines.map { $0.persistentModelID.rowID } == [50, 3, 6])
        let plain = try #require(try context.fetch(Part.where { $0.name == "plain" }).first)
        #expect(plain.extent?.depth == 1 && plain.extent?.unit == nil && plain.label == "L;plain")
        #expect(try context.fetch(Spare.all).map(\.name) == ["other"])
    }

    // MARK: Entities that become abstract

    private enum Shelving: SchemaMigrationPlan {
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: First.self, toVersion: Second.self,
                    didMigrate: { try $0.execute("UPDATE Stock SET entity$ = 'Shelf' WHERE count > 0") })
            ]
        }
    }

    @Test func aStageGivesObjectsOfAnAbstractEntityAnotherEntity() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: 1)
        try Workshop.connect(url).execute("INSERT INTO Stock (count) VALUES (5), (0)")
        #expect {
            _ = try open(Shelving.self)
        } throws: { error in
            guard case StoreError.migrationRefused(_, "Workshop", "Workshop 2", "Stock", 2, _) = error else {
                return false
            }
            return true
        }
        #expect(try Workshop.connect(url).rows("SELECT count FROM Stock") == [[.integer(5)], [.integer(0)]])
        try Workshop.connect(url).execute("DELETE FROM Stock WHERE count = 0")
        #expect(try ModelContext(open(Shelving.self)).fetch(Stock.all).map(\.count) == [5])
    }

    // MARK: Operations that a stage may not perform

    private struct Attempt: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var stages: @Sendable () -> [MigrationStage]
    }

    private static let leak = Leak()

    private static let attempts: [Attempt] = [
        Attempt(testDescription: "twice") { WorkshopMigrations.stages + WorkshopMigrations.stages },
        Attempt(testDescription: "backwards") {
            [.lightweight(fromVersion: Second.self, toVersion: First.self)] + WorkshopMigrations.stages
        },
        Attempt(testDescription: "another model's") {
            [.lightweight(fromVersion: First.self, toVersion: OtherVersion.self)] + WorkshopMigrations.stages
        },
        Attempt(testDescription: "commit") {
            [.custom(fromVersion: First.self, toVersion: Second.self, didMigrate: { try $0.execute(" commit") })]
        },
        Attempt(testDescription: "another number") {
            [
                .custom(
                    fromVersion: First.self, toVersion: Second.self,
                    didMigrate: { try $0.update(Second.Part.self) { $0.rowID += 1 } })
            ]
        },
        Attempt(testDescription: "too late") {
            [
                .custom(
                    fromVersion: First.self, toVersion: Second.self, willMigrate: { leak.store = $0 },
                    didMigrate: { _ in try leak.store?.execute("DELETE FROM Part") })
            ]
        },
    ]

    private enum OtherVersion: VersionedSchema {
        static var model: any ManagedObjectModel.Type { OtherModel.self }
        static var versionName: String { "Workshop 2" }
    }

    private enum OtherModel: ManagedObjectModel {
        static let modelDescription = ModelDescription(name: "Other", entities: [], versions: [], schema: [])
    }

    /// `@unchecked Sendable`: the test's own thread alone uses it.
    private final class Leak: @unchecked Sendable {
        var store: MigratingStore<First>?
    }

    private enum Attempting: SchemaMigrationPlan {
        @TaskLocal static var attempt: Attempt?
        static var stages: [MigrationStage] { attempt?.stages() ?? [] }
    }

    @Test(arguments: attempts)
    private func whatNoStageMayDo(_ attempt: Attempt) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: 5)
        let before = try Workshop.connect(url).rows("SELECT id$, name, size FROM Part")
        #expect {
            _ = try Attempting.$attempt.withValue(attempt) { try open(Attempting.self) }
        } throws: { error in
            guard case StoreError.invalidMigrationStage(_, _, let reason) = error else { return false }
            return !reason.isEmpty
        }
        #expect(try Workshop.connect(url).rows("SELECT id$, name, size FROM Part") == before)
    }

    @Test func rowsWithNewNumbersHaveNoTransform() {
        #expect(First.Part._ashlarTable.keepsRowIDs && Second.Spare._ashlarTable.keepsRowIDs)
    }

    @Test func referencesThatLeadNowhereUndoIt() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: 5)
        let attempt = Attempt(testDescription: "") {
            [
                .custom(
                    fromVersion: First.self, toVersion: Second.self,
                    didMigrate: { try $0.update(Second.Part.self) { $0.supplier = 99 } })
            ]
        }
        #expect {
            _ = try Attempting.$attempt.withValue(attempt) { try open(Attempting.self) }
        } throws: { error in
            if case StoreError.migrationBrokeReferences(_, _, _, ["Part"]) = error { true } else { false }
        }
    }

    @Test func itIsCancelledBetweenRows() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Workshop.makeStore(at: url, parts: 2000)
        let configuration = {
            var configuration = ModelConfiguration(url: url)
            configuration.migration.plan = Cancelling.self
            return configuration
        }()
        let task = Task {
            try await ModelContainer(opening: WorkshopModel.self, configurations: configuration)
        }
        Cancelling.task.withLock { $0 = task }
        Cancelling.isStored.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try Workshop.connect(url).integer("SELECT count(*) FROM Part WHERE size LIKE '%x%'") == 2000)
    }

    private enum Cancelling: SchemaMigrationPlan {
        static let task = Mutex<Task<ModelContainer, any Error>?>(nil)
        static let isStored = DispatchSemaphore(value: 0)

        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: First.self, toVersion: Second.self,
                    willMigrate: { store in
                        try store.forEach(First.Part.self) { part in
                            if part.rowID != 300 { return }
                            isStored.wait()
                            task.withLock { $0?.cancel() }
                        }
                        Issue.record("it was not cancelled")
                    })
            ]
        }
    }
}
