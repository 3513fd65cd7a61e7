import DataModel
import RelationalSchema

extension ModelMatch {
    /// A relationship to one object that an object of the new version cannot be without.
    struct Binding: Sendable {
        /// The relationship, as the new version declares it.
        let key: PropertyName
        /// The new entity whose objects have it.
        let entityName: String
        /// The old relationship that has the links.
        let source: PropertyName
        /// Whether the old relationship leads the other way.
        let isReversed: Bool
        /// The old entities whose objects the links lead to.
        let destinations: [String]
        /// Whether the object is deleted together with the one that it leads to.
        let isCascading: Bool
    }

    /// The bindings of all new entities that are not new.
    func makeBindings() -> [Binding] {
        var result: [Binding] = []
        for name in new.names where oldEntityNames[name] != nil {
            for column in new.nodes[name]?.storage.ownColumns ?? [] {
                guard case .toOne(let relationship) = column.content, column.column.isRequired,
                    let reference = column.column.reference
                else { continue }
                let key = PropertyName(column.entityName, relationship.name)
                func add(_ source: PropertyName, isReversed: Bool, to destination: String) {
                    result.append(
                        Binding(
                            key: key, entityName: name, source: source, isReversed: isReversed,
                            destinations: old.nodes[destination]?.hierarchy ?? [],
                            isCascading: reference.action == .cascade))
                }
                if let source = oldProperty(relationship.name, of: name) {
                    if let destination = source.relationship?.destinationName {
                        add(source.key, isReversed: false, to: destination)
                    }
                } else if let inverse = new.inverse(of: key), inverse != key {
                    for source in sources(of: inverse) where source.old.relationship != nil {
                        add(source.old.key, isReversed: true, to: source.old.key.entityName)
                    }
                }
            }
        }
        return result
    }

    /// The bindings of objects that may lead to objects of some old entities, which are deleted, or to objects that are
    /// deleted with these.
    func bindings(toDeleted oldNames: Set<String>) -> [Binding] {
        var deleted = oldNames
        var pending = bindings
        var result: [Binding] = []
        while let index = pending.firstIndex(where: { !deleted.isDisjoint(with: $0.destinations) }) {
            let binding = pending.remove(at: index)
            result.append(binding)
            if binding.isCascading, let name = oldEntityNames[binding.entityName] { deleted.insert(name) }
        }
        return result
    }

    /// The old entities that are gone with their objects.
    var removedEntityNames: Set<String> { Set(old.names.filter { newEntityNames[$0] == nil }) }
}
