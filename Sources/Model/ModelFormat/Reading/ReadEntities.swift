import DataModel

/// The entities of the version that was read last, as they are written.
///
/// Most entities are written the same in consecutive versions, and are only moved to their new places.
struct ReadEntities {
    private struct Known {
        var source: XMLSource
        var entity: Entity
    }

    private var known: [String: Known] = [:]

    /// The entity of the last version that is written the same; nil if there is none.
    func entity(writtenIn element: XMLElement) -> Entity? {
        guard let source = element.source, let name = element["name"], let known = known[name],
            known.source.isSame(as: source)
        else { return nil }
        let location = element.location
        // Within the first line, columns depend on the place where it begins.
        guard location.line > 0, known.entity.location.column == location.column else { return nil }
        var entity = known.entity
        entity.move(to: location)
        return entity
    }

    /// Records an entity without problems.
    mutating func note(_ entity: Entity, writtenIn element: XMLElement) {
        if let source = element.source { known[entity.name] = Known(source: source, entity: entity) }
    }
}
