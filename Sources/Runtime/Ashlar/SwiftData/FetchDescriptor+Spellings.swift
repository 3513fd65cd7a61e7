extension FetchDescriptor {
    /// The relationships whose objects are loaded together with the results, by their key paths.
    ///
    /// It is SwiftData's spelling of `prefetch`. Key paths that are not relationships of the class are ignored.
    ///
    ///     var descriptor = FetchDescriptor<Post>()
    ///     descriptor.relationshipKeyPathsForPrefetching = [\.author]
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<Model>] {
        get {
            let keyPaths = Model._ashlarKeyPaths
            return prefetchedRelationships.compactMap { prefetched in
                keyPaths.keyPath(of: prefetched.name(in: Model._ashlarEntity) ?? "", in: Model.self)
            }
        }
        set {
            let (entity, keyPaths) = (Model._ashlarEntity, Model._ashlarKeyPaths)
            prefetchedRelationships = newValue.compactMap { keyPath in
                keyPaths[keyPath].flatMap { PrefetchedRelationship(named: $0, of: entity) }
            }
        }
    }

    /// The attributes to load first. It is SwiftData's hint, and has no effect on the result.
    ///
    /// Objects always come with all their attributes. To read only some values, use `select`: `Post.select { ($0.title,
    /// $0.likes) }`.
    public var propertiesToFetch: [PartialKeyPath<Model>] {
        get { hintedProperties.compactMap { Model._ashlarKeyPaths.keyPath(of: $0, in: Model.self) } }
        set { hintedProperties = newValue.compactMap { Model._ashlarKeyPaths[$0] } }
    }
}

extension PrefetchedRelationship {
    fileprivate init?(named name: String, of entity: EntityDescription) {
        guard let number = entity.relationships.firstNumber(where: { $0.name == name }),
            let destination = entity.model?.modelDescription.entity(named: entity.relationships[number].destination)
        else { return nil }
        if entity.relationships[number].isToMany {
            self.init(steps: [], toMany: number)
        } else {
            let path = ColumnPath(table: entity.tableName).following(number, of: entity, to: destination)
            self.init(steps: path.steps, toMany: nil)
        }
    }

    /// Returns the name of the relationship, if it is one of the entity's own.
    fileprivate func name(in entity: EntityDescription) -> String? {
        switch (steps.count, toMany) {
        case (0, let number?) where cast == nil: entity.relationships[number].name
        case (1, nil) where steps[0].cast == nil: steps[0].relationship
        default: nil
        }
    }
}
