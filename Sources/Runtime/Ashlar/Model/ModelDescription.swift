import AshlarSQLite
import Containers
import Synchronization

/// The description of a model at run time: entities, schema, versions, and the migrations between them.
///
/// Generated code creates one for each model. ``ModelContainer/model`` returns it.
///
///     for entity in container.model.entities { print(entity.name, entity.columns.count) }
///
/// The counterparts are Core Data's `NSManagedObjectModel` and SwiftData's `Schema`.
public final class ModelDescription: Sendable {
    /// One version of the model with its hashes.
    public struct Version: Sendable, Hashable {
        /// The version's name in the bundle, such as `PhotoFeed 2`.
        public var name: String
        /// The hash of everything that makes the stores of two versions differ.
        public var versionHash: String
        /// The hash of everything that the schema depends on, including indexes and defaults.
        public var schemaHash: String
        /// The name and hash of each entity, one per line, to report differences.
        public var entityHashes: String
        /// The statements that migrate a store of the previous version to this one.
        public var migration: [MigrationStatement]
        /// The statements that concern only some entities, in a model with configurations. The other statements apply
        /// to every store.
        @_spi(Generated) public var parts: [MigrationPart]
        /// Whether stores can be migrated to this version only with a custom stage of a ``SchemaMigrationPlan``.
        public var needsStage: Bool
        /// The contents of the version's R-trees and full-text indexes.
        @_spi(Generated) public var virtualTables: [VirtualTable]
        /// The differences of this version's storage from the previous version, one entity or property per line.
        ///
        /// Ashlar reads stores of Core Data with it. The first version has all entities and properties.
        public var storedEntities: String

        /// Creates a version, for generated code.
        @_spi(Generated) public init(
            name: String, versionHash: String, schemaHash: String, entityHashes: String,
            migration: [MigrationStatement] = [], parts: [MigrationPart] = [], needsStage: Bool = false,
            virtualTables: [VirtualTable] = [], storedEntities: String = ""
        ) {
            self.name = name
            self.versionHash = versionHash
            self.schemaHash = schemaHash
            self.entityHashes = entityHashes
            self.migration = migration
            self.parts = parts
            self.needsStage = needsStage
            self.virtualTables = virtualTables
            self.storedEntities = storedEntities
        }

        static func hashes(_ lines: String) -> [String: String] {
            var result: [String: String] = [:]
            for line in lines.split(separator: "\n") {
                let parts = line.split(separator: " ")
                if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
            }
            return result
        }

        package static func names(_ lines: String) -> Set<String> { Set(hashes(lines).keys) }
    }

    /// The model's name.
    public let name: String
    /// The entities, ordered by name; an entity's position is its number.
    public let entities: [EntityDescription]
    /// The store's descriptions of the entities, in the same order.
    let entitySchemas: [EntitySchema]
    /// The versions from the oldest to the current one.
    public let versions: [Version]
    /// The statements that create an empty store of the current version.
    public let schema: [String]
    /// The statements that created an empty store of the first version, or nil if they are unknown.
    ///
    /// Ashlar compares stores with them to find objects that were added by hand.
    public let firstSchema: [String]?
    /// The configurations, in the order of the model.
    public let configurations: [Configuration]
    /// The entities that belong together, in a model with configurations; otherwise empty.
    public let parts: [Part]
    /// The names of the entities in a store that has only some of them; nil for all.
    let heldEntityNames: Set<String>?

    /// Whether the class of any entity adopts ``ManagedObjectLifecycle``.
    let hasLifecycle: Bool
    /// Whether a connection that writes must trust the schema. Otherwise, SQLite before 3.44 refuses the triggers that
    /// maintain an R-tree or a full-text index.
    let needsTrustedSchema: Bool
    /// The root entities in whose tables the store derives values.
    let rootsWithDerivedColumns: [EntityDescription]
    /// The foreign key columns of one-to-one relationships, by the numbers of the entities: no two rows refer to the
    /// same row.
    private let oneToOneColumns: [[Int]]
    let hasOneToOneColumns: Bool

    /// The history's tables for the model, after their first use. Only the history defines their type.
    let historyTables = Mutex<(any Sendable)?>(nil)

    private let numbersByName: [String: Int]
    /// The destinations of relationships, entity by entity.
    private let leads: ConstantList<RelationshipLead>
    /// The positions of the first destination of each entity.
    private let firstLeads: ConstantList<Int>
    /// The root entities of objects that a loaded relationship may list after their deletion.
    private let listedWhenDeleted: Set<UInt16>

    /// Creates a description, for generated code.
    @_spi(Generated) public convenience init(
        name: String, entities: [EntityDescription], versions: [Version], schema: [String],
        firstSchema: [String]? = nil, configurations: [Configuration] = [], parts: [Part] = []
    ) {
        self.init(
            name: name, entities: entities, versions: versions, schema: schema, firstSchema: firstSchema,
            configurations: configurations, parts: parts, heldEntityNames: nil)
    }

    init(
        name: String, entities: [EntityDescription], versions: [Version], schema: [String], firstSchema: [String]?,
        configurations: [Configuration], parts: [Part], heldEntityNames: Set<String>?
    ) {
        self.firstSchema = firstSchema
        self.heldEntityNames = heldEntityNames
        self.name = name
        self.entities = entities
        entitySchemas = entities.map(\.schema)
        self.versions = versions
        self.schema = schema
        self.configurations = configurations
        self.parts = parts
        var numbers: [String: Int] = [:]
        for (index, entity) in entities.enumerated() { numbers[entity.name] = index }
        self.numbersByName = numbers
        hasLifecycle = entities.contains(where: \.hasLifecycle)
        needsTrustedSchema =
            SQLiteLibrary.versionNumber < 3_044_000 && schema.contains { $0.hasPrefix("CREATE VIRTUAL TABLE ") }
        rootsWithDerivedColumns = entities.filter { $0.hasDerivedColumns && $0.number.root == $0.number.entity }
        oneToOneColumns = entities.map { entity in
            entity.relationships.compactMap { relationship in
                guard case .column(let column) = relationship.storage, let inverse = relationship.inverse,
                    let destination = numbers[relationship.destination].map({ entities[$0] }),
                    !destination.relationships[inverse].isToMany
                else { return nil }
                return column
            }
        }
        hasOneToOneColumns = oneToOneColumns.contains { !$0.isEmpty }
        var listed: Set<UInt16> = []
        for relationship in entities.flatMap(\.relationships) {
            guard let destination = numbers[relationship.destination].map({ entities[$0] }) else { continue }
            let inverse = relationship.inverse.map { destination.relationships[$0] }
            switch inverse?.deletionRule {
            case .nullify, .cascade: break
            case .deny, .noAction, nil: if relationship.isToMany { listed.insert(destination.number.root) }
            }
        }
        listedWhenDeleted = listed
        let leads = entities.map { entity in
            entity.relationships.map { relationship in
                let number = numbers[relationship.destination]
                return RelationshipLead(relationship, number, number.map { entities[$0] })
            }
        }
        self.leads = ConstantList(leads.flatMap(\.self))
        var count = 0
        firstLeads = ConstantList(
            leads.map { leads in
                defer { count += leads.count }
                return count
            })
    }

    /// Returns the entity with a name, or nil if there is none.
    ///
    ///     let entity = container.model.entity(named: "Post")
    ///
    /// - Parameter name: The entity's name in the model.
    public func entity(named name: String) -> EntityDescription? {
        numbersByName[name].map { entities[$0] }
    }

    /// Returns the store's description of the entity with a name.
    func entitySchema(named name: String) -> EntitySchema? { numbersByName[name].map { entitySchemas[$0] } }

    /// Returns the store's description of the entity with a number.
    func entitySchema(_ number: UInt16) -> EntitySchema { entitySchemas[Int(number)] }

    /// Returns the store's description of the destination of an entity's relationship.
    func destination(of entity: EntitySchema, _ relationship: RelationshipNumber) -> EntitySchema? {
        let number = lead(entity.number, relationship).pointee.number
        return number < 0 ? nil : entitySchemas[number]
    }

    /// Returns the destination of an entity's relationship.
    func destination(of entity: EntityDescription, _ relationship: RelationshipNumber) -> EntityDescription? {
        lead(entity.number, relationship).pointee.destination?.pointee.entity
    }

    /// Returns the foreign key columns of an entity's one-to-one relationships: no two rows refer to the same row.
    func oneToOneColumns(of entity: EntityDescription) -> [Int] { oneToOneColumns[Int(entity.number.entity)] }

    /// Returns the address of the destination of an entity's relationship.
    @inline(__always)
    func lead(_ entity: EntityNumber, _ relationship: RelationshipNumber) -> UnsafePointer<RelationshipLead> {
        precondition(Int(entity.entity) < firstLeads.count, "an entity of another model")
        return leads.start + (firstLeads[Int(entity.entity)] &+ relationship.position)
    }

    /// Returns whether a loaded relationship may list an object of an entity after its deletion. The relationship has
    /// no inverse then, or its inverse denies the deletion.
    func mayBeListedWhenDeleted(_ root: UInt16) -> Bool {
        !listedWhenDeleted.isEmpty && listedWhenDeleted.contains(root)
    }

    /// Returns whether an entity belongs to this model, and not to another one that has an entity of the same name.
    func contains(_ entity: EntityDescription) -> Bool {
        let number = Int(entity.number.entity)
        return number < entities.count && entities[number] === entity
    }

    /// Throws if the generated code describes an entity incorrectly. With unknown columns, no row could be read or
    /// written. With an invalid default, creating an object would use a wrong value or stop the program.
    func checkEntities() throws(StoreError) {
        for entity in entities {
            if let line = entity.schema.invalidColumn { throw .invalidDescription(entity: entity.name, line: line) }
            guard let (property, found) = entity.invalidDefault else { continue }
            throw .invalidDefault(entity: entity.name, property: property, value: found.value, type: found.type)
        }
    }

    func entity(_ number: UInt16) -> EntityDescription { entities[Int(number)] }

    /// The version that the program is built for.
    package var currentVersion: Version? { versions.last }
}

/// The protocol of generated models.
///
/// Pass a model to a container as a type:
///
///     let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
///
/// The counterparts are Core Data's `NSManagedObjectModel` and SwiftData's `Schema`.
public protocol ManagedObjectModel: Sendable {
    /// The model's description, created once per process.
    static var modelDescription: ModelDescription { get }
}
