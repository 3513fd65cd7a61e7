import AshlarImport

extension CachedModel {
    /// Reads the indexes, once all properties are known.
    mutating func readIndexes(_ archive: ModelArchive, into entities: inout [String: Entity]) {
        for position in archive.positions(ofClass: ["NSEntityDescription"]) {
            guard let name = archive.string(position, "NSEntityName"), var entity = entities[name] else { continue }
            let properties = Self.propertyNames(of: name, in: entities)
            if archive.hasObject(position, "NSFetchIndexDescriptions") {
                for index in archive.elements(position, "NSFetchIndexDescriptions") {
                    if let index = readIndex(archive, index, of: name, properties) { entity.indexes.append(index) }
                }
                Self.removeUnnamed(from: &entity)
            } else {
                // Before Xcode 9, indexes of several properties had no names. They get those that Core Data gives them now.
                for tuple in archive.elements(position, "NSCompoundIndexes") {
                    let names = archive.elements(of: tuple).compactMap {
                        archive.string($0) ?? archive.string($0, "NSPropertyName")
                    }
                    // Core Data's own names for the object and its entity, which every index distinguishes anyway.
                    let kept = names.filter { properties.contains($0) || !["self", "entity"].contains($0) }
                    guard !kept.isEmpty, kept.allSatisfy(properties.contains) else {
                        notes.append("an index of \(name) is left out, since it is not one of properties alone")
                        continue
                    }
                    entity.indexes.append(
                        Index(
                            name: kept.joined(separator: "_"),
                            elements: kept.map { Index.Element(property: $0, isRTree: false, isAscending: true) }))
                }
            }
            entities[name] = entity
        }
    }

    private mutating func readIndex(
        _ archive: ModelArchive, _ position: Int, of entity: String, _ properties: Set<String>
    ) -> Index? {
        guard let name = archive.string(position, "NSIndexName") else { return nil }
        var index = Index(name: name, elements: [])
        for element in archive.elements(position, "NSIndexElements") {
            let kind = archive.integer(element, "NSFetchIndexElementType") ?? 0
            guard let property = archive.string(element, "NSPropertyName"), properties.contains(property),
                kind == 0 || kind == 1
            else {
                notes.append("the index \(name) of \(entity) is left out, since it is not one of properties alone")
                return nil
            }
            index.elements.append(
                Index.Element(
                    property: property, isRTree: kind == 1, isAscending: archive.flag(element, "NSAscending")))
        }
        if archive.hasObject(position, "NSPartialIndexPredicate") {
            notes.append("the index \(name) of \(entity) has a predicate that is not written down here")
        }
        return index.elements.isEmpty ? nil : index
    }

    /// Removes the indexes that Core Data makes for indexed attributes, which are named after their attribute.
    ///
    /// Core Data takes the only attribute of any index for an indexed one, so that the same index may be there twice.
    private static func removeUnnamed(from entity: inout Entity) {
        for position in entity.attributes.indices where entity.attributes[position].isIndexed {
            let name = entity.attributes[position].name
            let own = [Index.Element(property: name, isRTree: false, isAscending: true)]
            entity.indexes.removeAll { $0.name == name && $0.elements == own }
            entity.attributes[position].isIndexed = !entity.indexes.contains { $0.elements.map(\.property) == [name] }
        }
    }

    /// The names of an entity's properties, with those that it inherits.
    private static func propertyNames(of name: String, in entities: [String: Entity]) -> Set<String> {
        var names: Set<String> = []
        var entity = entities[name]
        for _ in 0..<entities.count {
            guard let found = entity else { break }
            names.formUnion(found.attributes.map(\.name) + found.relationships.map(\.name))
            entity = found.parent.flatMap { entities[$0] }
        }
        return names
    }
}
