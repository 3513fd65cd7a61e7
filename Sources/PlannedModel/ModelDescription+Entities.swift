@_spi(Generated) import Ashlar
import DataModel
import RelationalSchema
import SwiftGeneration

import class RelationalSchema.Schema

extension ModelDescription {
    /// What the runtime knows of the entities of a schema without their classes: enough to ask what a program would run,
    /// and not to open a store.
    package static func describing(_ schema: Schema) -> ModelDescription {
        let described = DescribedEntity.all(of: schema)
        let byName = Dictionary(described.map { ($0.entity.name, $0) }) { first, _ in first }
        var made: [String: EntityDescription] = [:]
        func description(of entity: DescribedEntity) -> EntityDescription {
            if let known = made[entity.entity.name] { return known }
            let parent = entity.parentName.flatMap { byName[$0] }.map { description(of: $0) }
            let result = EntityDescription(entity, parent: parent)
            made[entity.entity.name] = result
            return result
        }
        return ModelDescription(
            name: schema.graph.model.name, entities: described.map { description(of: $0) }, versions: [], schema: [])
    }
}

extension EntityDescription {
    fileprivate convenience init(_ described: DescribedEntity, parent: EntityDescription?) {
        self.init(
            name: described.entity.name, parent: parent, isAbstract: described.entity.isAbstract,
            tableName: described.tableName,
            rootNumber: described.rootNumber, number: described.number,
            modelClass: UnknownObject.self, values: UnknownValues.self, columns: described.columns,
            relationships: described.relationships.map { RelationshipDescription($0) },
            hasDiscriminator: described.isInHierarchy, discriminators: described.discriminators,
            ownColumns: described.ownColumns, fullTextIndexes: described.fullTexts.map { FullTextDescription($0) })
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
            storage: storage)
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
