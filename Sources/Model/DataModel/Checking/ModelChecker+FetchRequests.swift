import PredicateFormat

extension ModelChecker {
    /// The fetch request templates and the fetched properties: their entities and predicates.
    mutating func checkFetchRequests() {
        guard !model.fetchRequests.isEmpty || model.entities.contains(where: { !$0.fetchedProperties.isEmpty }) else {
            return
        }
        let graph = ModelGraph(model)
        var names: Set<String> = []
        for request in model.fetchRequests {
            let title = "Fetch request template '\(request.name)'"
            // Generated functions have no other characters, and begin with a small letter.
            let name = request.name.filter { $0.isLetter || $0.isNumber || $0 == "_" }.lowercased()
            if !names.insert("\(request.entityName).\(name)").inserted {
                report(
                    .invalidFetchRequest, at: request.location,
                    "\(title) would become a function of the same name as another",
                    notes: ["Rename one of them"])
            }
            check(request, title, graph, graph.predicate(of: request))
        }
        for entity in model.entities {
            for property in entity.fetchedProperties {
                let resolution = graph.predicate(of: property, in: entity)
                let title = "Fetched property '\(entity.name).\(property.name)'"
                check(property.request, title, graph, resolution)
                for name in resolution?.variableNames ?? [] where name != "FETCH_SOURCE" {
                    report(
                        .invalidPredicate, at: property.request.predicateLocation?.location(at: 0) ?? property.location,
                        "\(title) uses '$\(name)', which nothing gives a value",
                        notes: ["Only $FETCH_SOURCE and $FETCHED_PROPERTY are known here"])
                }
            }
        }
    }

    private mutating func check(
        _ request: FetchRequest, _ title: String, _ graph: ModelGraph, _ resolution: Resolution<ResolvedPredicate>?
    ) {
        guard graph.entity(named: request.entityName) != nil else {
            let proposal = proposal(for: request.entityName, among: .entities)
            report(
                .invalidFetchRequest, at: request.location,
                "\(title) fetches objects of '\(request.entityName)', which is not an entity of the model",
                notes: [proposal?.note], fixes: [proposal?.replacement(in: request.location)], attribute: "entity")
            return
        }
        for error in resolution?.errors ?? [] {
            report(
                .invalidPredicate,
                at: request.predicateLocation?.location(at: error.range.lowerBound) ?? request.location,
                "\(title): \(error.message)", notes: [error.note])
        }
    }
}
