import DataModel

extension ContentsReader {
    /// Reads a fetch request template; nil when it has no name or no entity.
    mutating func readFetchRequest(_ element: XMLElement) -> FetchRequest? {
        let name = required("name", of: element, "A fetch request")
        let title = "Fetch request '\(name ?? "")'"
        let entity = required("entity", of: element, title)
        guard let name, let entity else { return nil }
        var request = FetchRequest(
            name: name, entityName: entity, predicate: text("predicateString", of: element),
            fetchLimit: count("fetchLimit", of: element, title) ?? 0,
            fetchBatchSize: count("fetchBatchSize", of: element, title) ?? 0, location: element.location)
        request.includesSubentities = isOn("includeSubentities", of: element, title)
        request.includesPendingChanges = isOn("includesPendingChanges", of: element, title)
        if request.predicate != nil { request.predicateLocation = element.valueLocation(of: "predicateString") }
        return request
    }

    /// A boolean that defaults to true, like its counterpart in the API.
    private mutating func isOn(_ name: String, of element: XMLElement, _ title: String) -> Bool {
        element.attribute(name) == nil || flag(name, of: element, title)
    }

    /// Reads a fetched property; nil when it has no name or no complete fetch request.
    mutating func readFetchedProperty(_ element: XMLElement, of entityName: String) -> FetchedProperty? {
        guard let name = required("name", of: element, "A fetched property of '\(entityName)'") else { return nil }
        guard let child = element.children(named: "fetchRequest").first else {
            diagnostics.report(
                .missingAttribute, at: element.location,
                "Fetched property '\(entityName).\(name)' has no fetch request",
                notes: ["Give it a destination in Xcode's editor"])
            return nil
        }
        guard let request = readFetchRequest(child) else { return nil }
        return FetchedProperty(
            name: name, request: request, userInfo: readUserInfo(of: element), location: element.location)
    }
}
