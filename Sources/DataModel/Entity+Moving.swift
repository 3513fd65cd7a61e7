extension SourceLocation {
    /// Moves the place to another file and by a number of lines; what is not known stays so.
    mutating func move(toFile file: String, byLines count: Int) {
        self.file = file
        if line > 0 { line += count }
    }
}

extension Entity {
    /// Moves the entity with all that is in it to where the same text stands in another version.
    package mutating func move(to location: SourceLocation) {
        let file = location.file
        let count = location.line - self.location.line
        self.location = location
        userInfo.move(toFile: file, byLines: count)
        for index in attributes.indices {
            attributes[index].location.move(toFile: file, byLines: count)
            attributes[index].derivationLocation?.move(toFile: file, byLines: count)
            attributes[index].userInfo.move(toFile: file, byLines: count)
        }
        for index in relationships.indices {
            relationships[index].location.move(toFile: file, byLines: count)
            relationships[index].userInfo.move(toFile: file, byLines: count)
        }
        for index in fetchedProperties.indices {
            fetchedProperties[index].location.move(toFile: file, byLines: count)
            fetchedProperties[index].request.location.move(toFile: file, byLines: count)
            fetchedProperties[index].request.predicateLocation?.move(toFile: file, byLines: count)
            fetchedProperties[index].userInfo.move(toFile: file, byLines: count)
        }
        for index in indexes.indices { indexes[index].move(toFile: file, byLines: count) }
        for index in uniquenessConstraints.indices {
            uniquenessConstraints[index].location.move(toFile: file, byLines: count)
        }
    }

    /// Whether the entity is another, but for where they stand. It may say no when line breaks differ.
    func isSame(as other: Entity) -> Bool {
        guard name == other.name, attributes.count == other.attributes.count else { return false }
        var moved = other
        moved.move(to: location)
        return moved == self
    }
}

extension FetchIndex {
    fileprivate mutating func move(toFile file: String, byLines count: Int) {
        location.move(toFile: file, byLines: count)
        predicateLocation?.move(toFile: file, byLines: count)
        userInfo.move(toFile: file, byLines: count)
        for index in elements.indices {
            elements[index].location.move(toFile: file, byLines: count)
            elements[index].expressionLocation?.move(toFile: file, byLines: count)
        }
    }
}

extension UserInfo {
    fileprivate mutating func move(toFile file: String, byLines count: Int) {
        if entries.isEmpty { return }
        for index in entries.indices { entries[index].location.move(toFile: file, byLines: count) }
    }
}
