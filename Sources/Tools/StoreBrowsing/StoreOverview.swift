import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import ModelDiagram
import SQLQuoting

/// The contents of a store to browse.
@_spi(Studio) public struct StoreOverview: Sendable {
    /// The number of rows, as far as a quick look shows.
    public enum Count: Hashable, Sendable {
        case exactly(Int64)
        case atLeast(Int64)
    }

    public struct Entity: Hashable, Sendable {
        public var name: String
        public var parent: String?
        public var isAbstract: Bool
        public var count: Count
    }

    /// A description of the file, in a sentence.
    public var summary: String
    /// The source that objects are read from, or the reason why they are not shown; nil for a store of Ashlar's.
    public var note: String?
    /// Whether the subentities are known, so that their objects can be shown.
    public var isTyped: Bool
    public var entities: [Entity]
    /// The tables as they are stored, by name.
    public var tables: [String]
    /// The entities with a map.
    public var mappedEntities: [String]
    public var hasHistory: Bool
}

extension StoreBrowser {
    /// As many rows are counted.
    static let countedRows: Int64 = 10_000

    /// Returns the contents of a store to browse.
    ///
    /// - Throws: ``BrowsingError``.
    public func overview() throws(BrowsingError) -> StoreOverview {
        var overview = try read(doing: "reading the overview") { connection in
            let metadata = try StoreMetadata(connection)
            let version = try version(connection)
            var overview = StoreOverview(
                summary: summary(metadata), isTyped: false, entities: [],
                tables: try Self.tables(connection), mappedEntities: [], hasHistory: false)
            if metadata != nil, version == nil {
                overview.summary +=
                    modelPath == nil
                    ? " Name its model with --model to see its objects."
                    : " The model lacks this version, so only the tables are shown."
            }
            try Self.add(version, to: &overview, connection)
            return overview
        }
        guard isOfCoreData else { return overview }
        overview.note = modelNote
        if plan == nil { return overview }
        switch Result(catching: { () throws(BrowsingError) in
            try readObjects(doing: "reading the overview") { connection in
                var copied = overview
                try Self.add(version(connection), to: &copied, connection)
                return copied
            }
        }) {
        case .success(let copied):
            overview = copied
            overview.note =
                "Objects are read from a temporary Ashlar store that was made with "
                + (modelPath.map { "the model \($0)" } ?? "the model in the store") + ". They keep their numbers."
        // The tables are there all the same.
        case .failure(let error): overview.note = error.description
        }
        return overview
    }

    private static func tables(_ connection: Connection) throws -> [String] {
        try connection.schema().tables().filter { [.table, .virtual].contains($0.kind) }.map(\.name)
    }

    /// Adds the entities of a version, whose objects a connection reads.
    private static func add(
        _ version: BrowsedVersion?, to overview: inout StoreOverview, _ connection: Connection
    ) throws {
        overview.hasHistory = try tables(connection).contains("ashlar$transaction")
        guard let version else { return }
        overview.isTyped = true
        overview.mappedEntities = mappedEntities(version)
        for name in version.entityNames {
            let entity = try version.entity(name)
            overview.entities.append(
                StoreOverview.Entity(
                    name: name, parent: entity.parent, isAbstract: entity.isAbstract,
                    count: try count(name, version, connection)))
        }
    }

    private func summary(_ metadata: StoreMetadata?) -> String {
        if let metadata {
            return "A store of the model \"\(metadata.modelName)\", version \"\(metadata.versionName)\"."
        }
        if isOfCoreData {
            return "A store of Core Data or SwiftData. `ashlar import` makes an Ashlar store from it."
        }
        return "A SQLite database that is not a store. Only its tables are shown."
    }

    /// The number of objects, where there are few; no more rows than some are looked at.
    private static func count(
        _ entity: String, _ version: BrowsedVersion, _ connection: Connection
    ) throws -> StoreOverview.Count {
        let table = SQLQuotation.identifier(version.table(of: entity))
        let isPart = version.hasDiscriminator(entity) && version.line(entity).count > 1
        let names = version.hierarchy(entity).map { SQLQuotation.literal($0.name) }.joined(separator: ", ")
        let rows = try connection.rows(
            """
            SELECT count(*), count(\(isPart ? "CASE WHEN \"kind\" IN (\(names)) THEN 1 END" : "*"))
            FROM (SELECT \(isPart ? "\"entity$\"" : "1") AS "kind" FROM main.\(table) LIMIT \(countedRows + 1))
            """)
        guard case .integer(let all)? = rows.first?[0], case .integer(let own)? = rows.first?[1] else {
            return .exactly(0)
        }
        if all <= countedRows { return .exactly(own) }
        return .atLeast(isPart ? own : countedRows)
    }

    // MARK: The model

    /// The model as a picture, whose boxes lead somewhere; nil where there is none.
    ///
    /// - Parameter link: The address for an entity.
    public func diagram(_ link: (String) -> String) throws(BrowsingError) -> String? {
        guard let version = try readObjects(doing: "reading its version", version) ?? versions.last else {
            return nil
        }
        let names = Set(version.entityNames)
        return Diagram(version.schema.graph).linkedSVG { names.contains($0.name) ? link($0.name) : nil }
    }

    /// The names of the model's entities; empty where there is no model.
    public var entityNames: [String] { versions.last?.entityNames ?? [] }

    /// The styles of the picture.
    public static var diagramStylesheet: String { Diagram.stylesheet }

    // MARK: Text

    /// A text about the store or its model, under a title.
    public struct Chapter: Sendable {
        public var title: String
        public var text: String
    }

    /// The schema of the file as it is.
    public func storedSchema() throws(BrowsingError) -> Chapter {
        let objects = try read(doing: "reading its schema") { try $0.schema().objects }
        let sorted = objects.sorted {
            ($0.tableName, $1.kind.rawValue, $0.name) < ($1.tableName, $0.kind.rawValue, $1.name)
        }
        let statements = sorted.compactMap(\.sql).map { $0 + ";\n" }
        return Chapter(title: "The schema in the file", text: statements.joined(separator: "\n"))
    }

    /// The schema of the model's current version, and the migrations that lead to it, the last first.
    public var plannedSchema: [Chapter] {
        guard let plan, let last = plan.versions.last else { return [] }
        var chapters = [
            Chapter(
                title: "The schema of version \(last.name)",
                text: plan.schema.statements.map { $0 + ";\n" }.joined(separator: "\n"))
        ]
        for index in plan.versions.indices.dropFirst().reversed() {
            chapters.append(
                Chapter(
                    title: "From version \(plan.versions[index - 1].name) to \(plan.versions[index].name)",
                    text: plan.migrationText(to: index)))
        }
        return chapters
    }

    private static func mappedEntities(_ version: BrowsedVersion) -> [String] {
        version.entityNames.filter { RowMap.index(of: $0, version) != nil }
    }
}
