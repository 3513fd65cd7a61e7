public import PredicateFormat

extension ModelGraph {
    /// Reads and resolves the predicate of a fetch request template; nil when it has none.
    public func predicate(of request: FetchRequest) -> Resolution<ResolvedPredicate>? {
        request.predicate.map { resolve($0, of: request.entityName, variables: [:]) { $0 } }
    }

    /// Reads and resolves the predicate of a fetched property; nil when it has none.
    ///
    /// `$FETCH_SOURCE` is the object that has the property, and `$FETCHED_PROPERTY` the property, with its `userInfo`
    /// in the model.
    public func predicate(of property: FetchedProperty, in entity: Entity) -> Resolution<ResolvedPredicate>? {
        let source = ResolvedType.object(entity: entity.name)
        return property.request.predicate.map { text in
            resolve(text, of: property.request.entityName, variables: ["FETCH_SOURCE": source]) { predicate in
                predicate.replacingKeyPaths(ofVariable: "FETCHED_PROPERTY") { names in
                    switch names.first {
                    case "name" where names.count == 1: .string(property.name)
                    case "userInfo" where names.count == 2: property.userInfo[names[1]].map { .string($0) } ?? .null
                    default: nil
                    }
                }
            }
        }
    }

    private func resolve(
        _ text: String, of entityName: String, variables: [String: ResolvedType],
        _ rewrite: (ParsedPredicate) -> ParsedPredicate
    ) -> Resolution<ResolvedPredicate> {
        do throws(PredicateFormatError) {
            let parsed = rewrite(try ParsedPredicate(parsing: text, allowsArguments: false))
            var resolution = PredicateResolver(schema: self, entity: entityName, variables: variables).resolve(parsed)
            if let root = resolution.root, let error = PredicateTrial.error(in: root) {
                resolution.root = nil
                resolution.errors = [error]
            }
            return resolution
        } catch {
            return Resolution(failing: error)
        }
    }
}
