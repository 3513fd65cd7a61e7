@_spi(Generated) import Ashlar
import AshlarSQLite
import DataModel
import RelationalSchema
import SwiftGeneration

import class RelationalSchema.Schema

extension ModelDescription {
    /// The runtime's description of the entities of a schema without their classes: enough to plan a program's queries,
    /// but not to open a store.
    package static func describing(_ schema: Schema) -> ModelDescription {
        ModelDescription(
            name: schema.graph.model.name, entities: EntityDescription.withoutClasses(of: schema), versions: [],
            schema: [])
    }
}

extension EntityDescription {
    /// The class of an entity's objects, its values struct, and its model.
    typealias Classes = (
        object: ManagedObject.Type, values: any EntityValues.Type, model: (any ManagedObjectModel.Type)?
    )

    /// The descriptions of all entities of a schema, for callers that have no classes for them.
    static func withoutClasses(of schema: Schema) -> [EntityDescription] {
        all(of: schema) { _, _ in (UnknownObject.self, UnknownValues.self, nil) }
    }

    /// The descriptions of all entities of a schema, in the order of their numbers.
    ///
    /// - Parameter classes: Returns the classes of an entity, from it and the description of the entity above it.
    static func all(
        of schema: Schema, _ classes: (DescribedEntity, EntityDescription?) -> Classes
    ) -> [EntityDescription] {
        let described = DescribedEntity.all(of: schema)
        let byName = Dictionary(described.map { ($0.entity.name, $0) }) { first, _ in first }
        var made: [String: EntityDescription] = [:]
        func description(of entity: DescribedEntity) -> EntityDescription {
            if let known = made[entity.entity.name] { return known }
            let parent = entity.parentName.flatMap { byName[$0] }.map { description(of: $0) }
            let result = EntityDescription(entity, parent: parent, classes(entity, parent))
            made[entity.entity.name] = result
            return result
        }
        return described.map { description(of: $0) }
    }

    private convenience init(_ described: DescribedEntity, parent: EntityDescription?, _ classes: Classes) {
        self.init(
            name: described.entity.name, parent: parent, isAbstract: described.entity.isAbstract,
            tableName: described.tableName,
            rootNumber: described.rootNumber, number: described.number,
            modelClass: classes.object, values: classes.values, columns: described.columns,
            rules: described.rules.mapValues { $0.map { ValidationRule($0) } },
            loggedColumns: described.loggedColumns,
            relationships: described.relationships.map { RelationshipDescription($0) },
            hasDiscriminator: described.isInHierarchy, discriminators: described.discriminators,
            ownColumns: described.ownColumns, uniquenessConstraints: described.uniquenessConstraints,
            fullTextIndexes: described.fullTexts.map { FullTextDescription($0) }, model: classes.model)
    }
}

extension ValidationRule {
    fileprivate init(_ rule: AttributeRule) {
        self =
            switch rule {
            case .minimum(let bound): .minimum(Self.value(bound))
            case .maximum(let bound): .maximum(Self.value(bound))
            case .minimumLength(let count): .minimumLength(count)
            case .maximumLength(let count): .maximumLength(count)
            case .pattern(let pattern): .pattern(pattern)
            }
    }

    private static func value(_ bound: AttributeRule.Bound) -> SQLiteValue {
        switch bound {
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .decimal(let text): .text(text)
        }
    }
}

extension RelationshipDescription {
    fileprivate convenience init(_ described: DescribedEntity.Relationship) {
        let relationship = described.relationship
        let storage: Storage =
            switch described.storage {
            case .column: .column(described.column ?? 0)
            case .inverseColumn(_, _, let order): .inverseColumn(described.column ?? 0, order: order)
            case .joinTable(let table, let own, let other, let order):
                .joinTable(table, own: own, other: other, order: order)
            }
        self.init(
            relationship.name, destination: relationship.destinationName,
            inverse: described.inverse.map { RelationshipNumber(integerLiteral: $0) },
            isToMany: relationship.isToMany, isOrdered: relationship.isOrdered, isOptional: relationship.isOptional,
            minimumModelCount: relationship.isToMany ? relationship.minimumCount : 0,
            maximumModelCount: relationship.isToMany ? relationship.maximumCount : 0,
            deletionRule: Self.rule(relationship.deletionRule), storage: storage)
    }

    private static func rule(_ rule: DataModel.Relationship.DeletionRule) -> DeletionRule {
        switch rule {
        case .nullify: .nullify
        case .cascade: .cascade
        case .deny: .deny
        case .noAction: .noAction
        }
    }
}

extension FullTextDescription {
    fileprivate init(_ described: DescribedEntity.FullText) {
        self.init(
            described.index.name, tableName: described.table.name, columns: described.columns,
            columnNames: described.table.virtualColumnNames, options: described.table.options,
            weights: described.index.fullText.weights, entityNames: described.table.entityNames ?? [])
    }
}
