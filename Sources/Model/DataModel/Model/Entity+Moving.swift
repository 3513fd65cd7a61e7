extension SourceLocation {
    /// Moves the place to another file and by a number of lines; an unknown line stays unknown.
    mutating func move(toFile file: String, byLines count: Int) {
        self.file = file
        if line > 0 { line += count }
    }
}

extension Entity {
    /// Moves the entity and its contents to the place of the same text in another version.
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

    /// Returns whether the entity equals another, except for their places. It may return false if line breaks differ.
    package func isSame(as other: Entity) -> Bool {
        guard name == other.name, attributes.count == other.attributes.count,
            relationships.count == other.relationships.count
        else { return false }
        // All entities of all versions are compared, and to move a copy of each attribute takes the longest.
        for index in attributes.indices where !attributes[index].isSame(as: other.attributes[index]) { return false }
        for index in relationships.indices where !relationships[index].isSame(as: other.relationships[index]) {
            return false
        }
        var (left, right) = (self, other)
        (left.attributes, right.attributes) = ([], [])
        (left.relationships, right.relationships) = ([], [])
        right.move(to: location)
        return left == right
    }
}

extension Attribute {
    /// Returns whether the attribute equals another, except for their places.
    package func isSame(as other: Attribute) -> Bool {
        guard name == other.name, type == other.type, isOptional == other.isOptional, isTransient == other.isTransient,
            allowsExternalBinaryDataStorage == other.allowsExternalBinaryDataStorage,
            preservesValueAfterDeletion == other.preservesValueAfterDeletion,
            usesScalarValueType == other.usesScalarValueType, isIndexed == other.isIndexed,
            userInfo.isSame(as: other.userInfo)
        else { return false }
        guard defaultValueString == other.defaultValueString,
            defaultDateTimeInterval == other.defaultDateTimeInterval, minimumValue == other.minimumValue,
            maximumValue == other.maximumValue, minimumDateTimeInterval == other.minimumDateTimeInterval,
            maximumDateTimeInterval == other.maximumDateTimeInterval, regularExpression == other.regularExpression
        else { return false }
        return valueTransformerName == other.valueTransformerName && customClassName == other.customClassName
            && derivationExpression == other.derivationExpression && compositeName == other.compositeName
            && renamingIdentifier == other.renamingIdentifier && versionHashModifier == other.versionHashModifier
    }
}

extension Relationship {
    /// Returns whether the relationship equals another, except for their places.
    package func isSame(as other: Relationship) -> Bool {
        guard name == other.name, destinationName == other.destinationName, inverseName == other.inverseName,
            inverseEntityName == other.inverseEntityName, deletionRule == other.deletionRule,
            isOptional == other.isOptional, isToMany == other.isToMany, isOrdered == other.isOrdered,
            isTransient == other.isTransient
        else { return false }
        return minimumCount == other.minimumCount && maximumCount == other.maximumCount
            && renamingIdentifier == other.renamingIdentifier && versionHashModifier == other.versionHashModifier
            && userInfo.isSame(as: other.userInfo)
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
    fileprivate func isSame(as other: UserInfo) -> Bool {
        guard entries.count == other.entries.count else { return false }
        for index in entries.indices {
            let (left, right) = (entries[index], other.entries[index])
            if left.key != right.key || left.value != right.value { return false }
        }
        return true
    }

    fileprivate mutating func move(toFile file: String, byLines count: Int) {
        if entries.isEmpty { return }
        for index in entries.indices { entries[index].location.move(toFile: file, byLines: count) }
    }
}
