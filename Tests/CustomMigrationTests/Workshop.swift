import AshlarSQLite
import Foundation

@_spi(Generated) @testable import Ashlar

/// Stores of the first version of the model Workshop, whose second needs a stage and whose third has scripts.
enum Workshop {
    static let current = WorkshopModel.modelDescription
    /// The model of a program whose only version is the first.
    static let first = ModelDescription(
        name: current.name, entities: [], versions: [current.versions[0]], schema: current.firstSchema ?? [])

    /// Makes a store with parts, every third of them a machine.
    static func makeStore(at url: URL, parts: Int) throws {
        let opened = try StoreOpener(model: first, configuration: ModelConfiguration(url: url)).open()
        try opened.pool.write { connection in
            try connection.transaction {
                try connection.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 WHERE \(parts) > 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(parts))
                    INSERT INTO Part (entity$, name, size, price, serial, made, extent$$present, extent$depth, power)
                    SELECT iif(i % 3, NULL, 'Machine'), 'part ' || i, i || 'x' || (i * 2), i || '.5',
                        iif(i % 2, randomblob(16), NULL), iif(i % 5, i, NULL), iif(i % 4, 1, NULL),
                        iif(i % 4, i / 2.0, NULL), iif(i % 3, NULL, i) FROM n
                    """)
                try connection.execute("INSERT INTO Spare (name) VALUES ('spare')")
            }
        }
    }

    static func connect(_ url: URL) throws -> Connection {
        try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE)
    }
}

/// The stage that the model demands: sizes are two numbers, and parts have suppliers.
enum WorkshopMigrations: SchemaMigrationPlan {
    static let sizes = ValuesTransform(WorkshopModel.Version1.Part.self, WorkshopModel.Version2.Part.self) { old, new in
        let numbers = old.size.split(separator: "x").compactMap { Int32($0) }
        guard numbers.count == 2 else { throw SizeError(size: old.size) }
        (new.width, new.height) = (numbers[0], numbers[1])
        if old.rowID % 10 == 0 { new.note = "was \(old.size)" }
    }

    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: WorkshopModel.Version1.self, toVersion: WorkshopModel.Version2.self,
                transforms: [sizes],
                didMigrate: { store in
                    let supplier = try store.insert(WorkshopModel.Version2.Supplier(name: "unknown"))
                    try store.update(WorkshopModel.Version2.Part.self) { $0.supplier = supplier }
                })
        ]
    }
}

struct SizeError: Error, Equatable {
    var size: String
}
