import DataModel
import RandomNumbers

extension RandomModel {
    private var graph: ModelGraph { ModelGraph(model) }

    /// Adds an attribute that is derived from any others, if there are suitable ones.
    mutating func addDerivedAttribute(to index: Int, _ generator: inout SeededGenerator) {
        guard let expression = randomExpression(for: entities[index], &generator) else { return }
        let attribute = Attribute(
            name: fresh("derived"), type: .string, isOptional: true, derivationExpression: expression)
        entities[index].attributes.append(attribute)
        repairDerivedAttributes()
    }

    /// Derives an attribute from another source, or makes a derived one plain, or the reverse.
    mutating func changeDerivation(of index: Int, _ generator: inout SeededGenerator) {
        let positions = entities[index].attributes.indices.filter { entities[index].attributes[$0].isDerived }
        guard let position = positions.randomElement(using: &generator) else {
            return addDerivedAttribute(to: index, &generator)
        }
        entities[index].attributes[position].derivationExpression =
            generator.chance(0.3) ? nil : randomExpression(for: entities[index], &generator)
        repairDerivedAttributes()
    }

    private func randomExpression(for entity: Entity, _ generator: inout SeededGenerator) -> String? {
        let graph = graph
        var expressions: [String] = ["now()"]
        func addValues(_ prefix: String, of entity: Entity) {
            for leaf in graph.attributes(of: entity).flatMap({ graph.leaves(of: $0) }) where !leaf.isPresence {
                expressions.append(prefix + leaf.keyPath)
                if leaf.stored.type == .string { expressions.append("canonical:(\(prefix + leaf.keyPath))") }
            }
        }
        addValues("", of: entity)
        for relationship in graph.relationships(of: entity) {
            guard let destination = graph.entity(named: relationship.destinationName) else { continue }
            if relationship.isToMany {
                expressions.append("\(relationship.name).@count")
                for attribute in graph.attributes(of: destination)
                where [.integer16, .integer64, .double].contains(attribute.type) {
                    expressions.append("\(relationship.name).\(attribute.name).@sum")
                }
            } else {
                addValues("\(relationship.name).", of: destination)
                for next in graph.relationships(of: destination) {
                    guard let end = graph.entity(named: next.destinationName) else { continue }
                    if next.isToMany {
                        expressions.append("\(relationship.name).\(next.name).@count")
                    } else {
                        addValues("\(relationship.name).\(next.name).", of: end)
                    }
                }
            }
        }
        return expressions.randomElement(using: &generator)
    }

    /// Makes derived attributes fit again after a change of their sources, or removes them.
    mutating func repairDerivedAttributes() {
        for _ in 0..<20 {
            let graph = graph
            for index in entities.indices {
                let entity = entities[index]
                for position in entity.attributes.indices.reversed() {
                    guard let expression = entity.attributes[position].derivationExpression else { continue }
                    guard let derivation = try? graph.derivation(expression, of: entity) else {
                        removeAttribute(at: position, of: index)
                        continue
                    }
                    let type = Self.type(of: derivation)
                    if type == entity.attributes[position].type { continue }
                    entities[index].attributes[position].type = type
                    forgetIndexes(on: entity.attributes[position].name)
                }
            }
            let errors = ModelChecker.check(model).all.filter { $0.severity == .error }
            if errors.isEmpty { return }
            // The derivations form a circle, so one of them goes.
            guard
                let index = entities.indices.last(where: { entities[$0].attributes.contains(where: \.isDerived) }),
                let position = entities[index].attributes.lastIndex(where: \.isDerived)
            else { return }
            removeAttribute(at: position, of: index)
        }
    }

    private static func type(of derivation: Derivation) -> AttributeType {
        switch derivation.operation {
        case .count: .integer64
        case .now: .date
        case .fold: .string
        case .sum: derivation.source?.type == .double ? .double : .integer64
        case .copy: derivation.source?.type ?? .string
        }
    }
}
