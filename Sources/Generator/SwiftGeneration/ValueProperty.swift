import DataModel
import RelationalSchema

/// A property of a values struct: a column's value, or a composite that several columns make up.
struct ValueProperty {
    enum Content {
        case column(EntityLayout.SelectedColumn)
        case composite(Attribute)
    }

    var entityName: String
    var modelName: String
    var content: Content
    /// The consecutive columns that hold it. A composite without leaves has none.
    var columns: [EntityLayout.SelectedColumn]

    /// The Swift name of the property.
    var propertyName: String { SwiftName.property(modelName) }

    /// The label in a call.
    var label: String { SwiftName.argument(modelName) }

    /// The attribute as the model has it; nil for a relationship.
    var attribute: Attribute? {
        switch content {
        case .composite(let attribute): return attribute
        case .column(let column):
            guard case .attribute(let attribute) = column.stored.content else { return nil }
            return attribute
        }
    }

    /// The bits of the columns in an object's mask of changes.
    var mask: String { columns.reduce(0 as UInt64) { $0 | $1.bits }.maskLiteral }

    /// The properties that columns of an entity and of those above it amount to, in the order of the columns.
    static func properties(
        _ columns: [EntityLayout.SelectedColumn], declaredBy entities: [Entity]
    ) -> [ValueProperty] {
        let declared = Dictionary(grouping: columns, by: \.stored.entityName)
        return entities.flatMap { entity -> [ValueProperty] in
            var properties: [ValueProperty] = []
            for column in declared[entity.name] ?? [] {
                guard let attribute = column.stored.leaf?.path[0] else {
                    properties.append(
                        ValueProperty(
                            entityName: entity.name, modelName: column.modelName, content: .column(column),
                            columns: [column]))
                    continue
                }
                if let last = properties.indices.last, properties[last].modelName == attribute.name {
                    properties[last].columns.append(column)
                } else {
                    properties.append(
                        ValueProperty(
                            entityName: entity.name, modelName: attribute.name, content: .composite(attribute),
                            columns: [column]))
                }
            }
            for attribute in entity.attributes where attribute.isStored && attribute.type == .composite {
                if properties.contains(where: { $0.modelName == attribute.name }) { continue }
                properties.append(
                    ValueProperty(
                        entityName: entity.name, modelName: attribute.name, content: .composite(attribute), columns: [])
                )
            }
            return properties
        }
    }
}

extension EntityLayout.SelectedColumn {
    /// The attribute as the model has it, a leaf as its composite has it; nil for a relationship.
    var attribute: Attribute? {
        guard case .attribute(let attribute) = stored.content else { return nil }
        return stored.leaf?.path.last ?? attribute
    }
}
