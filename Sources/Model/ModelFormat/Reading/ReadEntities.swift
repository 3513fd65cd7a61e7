import DataModel

/// The entities of the version that was read last, as they are written.
///
/// From one version to the next most are written alike, and such an entity is only moved to its new place.
struct ReadEntities {
    private struct Known {
        var source: XMLSource
        var entity: Entity
    }

    private var known: [String: Known] = [:]

    /// The entity that is written as one of the last version is; nil when there is none.
    func entity(writtenIn element: XMLElement) -> Entity? {
        guard let source = element.source, let name = element["name"], let known = known[name],
            known.source.isSame(as: source)
        else { return nil }
        let location = element.location
        // Within the first line, columns depend on where it begins.
        guard location.line > 0, known.entity.location.column == location.column else { return nil }
        var entity = known.entity
        entity.move(to: location)
        return entity
    }

    /// Notes an entity in which nothing was found wrong.
    mutating func note(_ entity: Entity, writtenIn element: XMLElement) {
        if let source = element.source { known[entity.name] = Known(source: source, entity: entity) }
    }
}
