import DataModel
import Foundation

extension Model {
    /// A model with every kind of connection: parents, relationships with an inverse, without, to their own entity and
    /// to themselves, composites.
    static func random(_ generator: inout some RandomNumberGenerator, entityCount: Int) -> Model {
        var model = Model(name: "Random")
        for number in 0..<entityCount {
            var entity = Entity(name: "Entity\(number)", isAbstract: Int.random(in: 0..<8, using: &generator) == 0)
            for attribute in 0..<Int.random(in: 0...12, using: &generator) {
                entity.attributes.append(Attribute(name: "attribute\(attribute)", type: .integer64))
            }
            if number > 0, Int.random(in: 0..<4, using: &generator) == 0 {
                entity.parentName = "Entity\(Int.random(in: 0..<number, using: &generator))"
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                entity.indexes = [FetchIndex(name: "index", elements: [FetchIndex.Element(propertyName: "attribute0")])]
            }
            if Int.random(in: 0..<12, using: &generator) == 0 {
                entity.attributes.append(Attribute(name: "place", type: .composite, compositeName: "Place"))
            }
            model.entities.append(entity)
        }
        for number in 0..<(entityCount * Int.random(in: 0...3, using: &generator) / 2) {
            // Some entities have far more connections than others.
            let source = min(Int.random(in: 0..<entityCount, using: &generator), .random(in: 0..<30, using: &generator))
            let destination = Int.random(in: 0..<entityCount, using: &generator)
            model.relate(source, destination, number: number, &generator)
        }
        model.composites = [Composite(name: "Place", attributes: [Attribute(name: "latitude", type: .double)])]
        return model
    }

    private mutating func relate(
        _ source: Int, _ destination: Int, number: Int, _ generator: inout some RandomNumberGenerator
    ) {
        let kind = Int.random(in: 0..<8, using: &generator)
        let isOwnInverse = kind == 1 && source == destination
        let name = "to\(number)"
        let inverse = isOwnInverse ? name : "from\(number)"
        let hasInverse = kind != 0
        entities[source].relationships.append(
            Relationship(
                name: name, destinationName: entities[destination].name, inverseName: hasInverse ? inverse : nil,
                inverseEntityName: hasInverse ? entities[destination].name : nil,
                isOptional: .random(using: &generator), isToMany: .random(using: &generator)))
        if !hasInverse || isOwnInverse { return }
        entities[destination].relationships.append(
            Relationship(
                name: inverse, destinationName: entities[source].name, inverseName: name,
                inverseEntityName: entities[source].name, isOptional: .random(using: &generator),
                isToMany: .random(using: &generator)))
    }
}
