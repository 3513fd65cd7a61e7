import AshlarSQLite
import Foundation

@_spi(Generated) @testable import Ashlar

/// A model with three configurations, and stores of it.
enum Outpost {
    static let configurations: [ModelDescription.Configuration] = [
        OutpostModel.Configuration.cloud, OutpostModel.Configuration.local, OutpostModel.Configuration.map,
    ]

    /// A store for each configuration in files of a folder.
    static func configurations(in folder: TemporaryFolder, options: StoreOptions = StoreOptions())
        -> [ModelConfiguration]
    {
        configurations.map {
            ModelConfiguration(configuration: $0, url: folder.file("\($0.name).store"), options: options)
        }
    }

    static func container(in folder: TemporaryFolder, options: StoreOptions = StoreOptions()) throws -> ModelContainer {
        try ModelContainer(for: OutpostModel.self, configurations: configurations(in: folder, options: options))
    }

    static func memory(_ configurations: [ModelDescription.Configuration] = configurations) throws -> ModelContainer {
        try ModelContainer(
            for: OutpostModel.self,
            configurations: configurations.map { ModelConfiguration(configuration: $0, isStoredInMemoryOnly: true) })
    }

    /// A few objects in every store.
    static func fill(_ context: ModelContext) throws {
        let emblems = ["red", "green"].map { Emblem(name: $0) }
        for emblem in emblems { context.insert(emblem) }
        for number in 0..<3 {
            let memo = number == 2 ? Reminder(due: Date(timeIntervalSinceReferenceDate: 1)) : Memo()
            memo.title = "Mémo \(number)"
            memo.rank = Int64(number)
            context.insert(memo)
            memo.emblems = ToMany(number == 0 ? emblems : [emblems[0]])
        }
        context.insert(Preference(key: "size", setting: "big"))
        let landmark = Landmark(latitude: 1, longitude: 2, name: "Mémo 1")
        context.insert(landmark)
        for day in 0..<2 {
            context.insert(Visit(date: Date(timeIntervalSinceReferenceDate: Double(day)), landmark: landmark))
        }
        try context.save()
    }

    /// The first version, which survives in its stores alone: without `Memo.isPinned`, `Picture` and `Sketch`, and
    /// with `Visit.day`.
    static var first: ModelDescription { older(0) }

    /// An older version, to make stores of it.
    static func older(_ number: Int) -> ModelDescription {
        let current = OutpostModel.modelDescription
        var schema: [String] = []
        var parts: [ModelDescription.Part] = []
        func add(_ statement: String) {
            if statement.contains("\"Picture\"") || statement.contains("\"Sketch\"") { return }
            var statement = statement
            if number == 0 {
                statement = statement.replacing("    \"isPinned\" INTEGER NOT NULL DEFAULT 0,\n", with: "")
            }
            if statement.hasPrefix("CREATE TABLE \"Visit\"") {
                statement = statement.replacing("\"date\"", with: "\"day\"")
            }
            schema.append(statement)
        }
        for statement in current.schema[..<(current.parts.map(\.schema.lowerBound).min() ?? 0)] { add(statement) }
        for part in current.parts where part.entities != ["Sketch"] {
            let start = schema.count
            for statement in current.schema[part.schema] { add(statement) }
            parts.append(
                ModelDescription.Part(part.entities.filter { $0 != "Picture" }, schema: start..<schema.count))
        }
        let gone = ["Picture", "Sketch"]
        return ModelDescription(
            name: current.name, entities: current.entities.filter { !gone.contains($0.name) },
            versions: [current.versions[number]], schema: schema,
            configurations: current.configurations.map { configuration in
                ModelDescription.Configuration(
                    configuration.name, entities: configuration.entities.filter { !gone.contains($0) })
            }, parts: parts)
    }

    /// Makes a store of an older version, with the entities of one configuration or of all. A closure fills it.
    static func makeStore(
        _ number: Int = 0, at url: URL, configuration name: String? = nil, _ fill: (Connection) throws -> Void
    ) throws {
        let model = older(number)
        let chosen = model.configurations.first { $0.name == name }
        let configuration = ModelConfiguration(configuration: chosen, url: url)
        let contents = try StoreContent.contents(of: model, [configuration])
        let opened = try StoreOpener(contents[0], configuration).open()
        try opened.pool.write(fill)
    }

    /// Inserts rows of the first version into the tables that a store has.
    static func insertRows(_ connection: Connection) throws {
        let statements = [
            "INSERT INTO \"Emblem\" (\"name\") VALUES ('red'), ('green')",
            "INSERT INTO \"Memo\" (\"title\", \"rank\", \"entity$\") VALUES ('Mémo 0', 0, NULL), ('Mémo 1', 1, NULL)",
            "INSERT INTO \"Memo\" (\"title\", \"rank\", \"entity$\", \"due\") VALUES ('Mémo 2', 2, 'Reminder', 1)",
            "INSERT INTO \"Emblem$memos\" (\"source$\", \"target$\") VALUES (1, 1), (1, 2), (1, 3), (2, 1)",
            "INSERT INTO \"Preference\" (\"key\", \"setting\") VALUES ('size', 'big')",
            "INSERT INTO \"Landmark\" (\"name\", \"latitude\", \"longitude\") VALUES ('Mémo 1', 1, 2)",
            "INSERT INTO \"Visit\" (\"day\", \"landmark\") VALUES (0, 1), (1, 1)",
        ]
        for statement in statements {
            let table = String(statement.split(separator: "\"")[1])
            let exists = try connection.integer(
                "SELECT 1 FROM \"sqlite_schema\" WHERE \"type\" = 'table' AND \"name\" = ?1", [.text(table)])
            if exists != nil { try connection.execute(statement) }
        }
    }
}

/// The contents of a container's objects, to compare two containers.
struct OutpostSnapshot: Hashable {
    var lines: [String] = []

    init(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        for memo in try context.fetch(Memo.order { $0.title.ascending }) {
            let emblems = memo.emblems.map(\.name).sorted()
            let due = (memo as? Reminder)?.due?.timeIntervalSinceReferenceDate
            let values = [
                "\(type(of: memo)) \(memo.title)", memo.plainTitle ?? "-", "\(memo.rank)", "\(memo.isPinned)",
                "\(memo.scan?.count ?? -1)", "\(emblems)", due.map { "\($0)" } ?? "-",
            ]
            lines.append(values.joined(separator: " | "))
        }
        for emblem in try context.fetch(Emblem.order { $0.name.ascending }) {
            lines.append("Emblem \(emblem.name) | \(emblem.memoCount) | \(emblem.memos.map(\.title).sorted())")
        }
        for preference in try context.fetch(Preference.order { $0.key.ascending }) {
            lines.append("Preference \(preference.key) | \(preference.setting ?? "-")")
        }
        for landmark in try context.fetch(Landmark.order { $0.name.ascending }) {
            let days = landmark.visits.map { $0.date?.timeIntervalSinceReferenceDate ?? -1 }.sorted()
            let captions = landmark.pictures.map { $0.caption ?? "-" }.sorted()
            lines.append(
                "Landmark \(landmark.name) | \(landmark.plainName ?? "-") | \(landmark.latitude) \(landmark.longitude) | "
                    + "\(landmark.plan?.count ?? -1) | \(days) | \(captions)")
        }
        for visit in try context.fetch(Visit.all) where visit.landmark == nil {
            lines.append("Visit \(visit.date?.timeIntervalSinceReferenceDate ?? -1) of nothing")
        }
        for sketch in try context.fetch(Sketch.all) { lines.append("Sketch \(sketch.text ?? "-")") }
        lines.sort()
    }
}
