import DataModel

extension Model {
    /// Several models as one. Their entities have no connections.
    static func union(_ models: [Model]) -> Model {
        var union = Model(name: "Union", entities: [])
        for (number, model) in models.enumerated() {
            let renamed = model.withNames { "\($0)Of\(number)" }
            union.entities += renamed.entities
            union.composites += renamed.composites
        }
        return union
    }

    /// The model with other names of all entities and composites.
    private func withNames(_ name: (String) -> String) -> Model {
        var model = self
        for index in model.composites.indices {
            model.composites[index].name = name(model.composites[index].name)
            Self.rename(&model.composites[index].attributes, name)
        }
        for index in model.entities.indices {
            model.entities[index].name = name(model.entities[index].name)
            model.entities[index].parentName = model.entities[index].parentName.map(name)
            model.entities[index].renamingIdentifier = model.entities[index].renamingIdentifier.map(name)
            Self.rename(&model.entities[index].attributes, name)
            for position in model.entities[index].relationships.indices {
                var relationship = model.entities[index].relationships[position]
                relationship.destinationName = name(relationship.destinationName)
                relationship.inverseEntityName = relationship.inverseEntityName.map(name)
                model.entities[index].relationships[position] = relationship
            }
        }
        return model
    }

    private static func rename(_ attributes: inout [Attribute], _ name: (String) -> String) {
        for index in attributes.indices {
            attributes[index].compositeName = attributes[index].compositeName.map(name)
        }
    }
}
