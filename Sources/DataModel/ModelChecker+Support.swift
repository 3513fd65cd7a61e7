extension ModelChecker {
    /// What this release reads but does not build, and what the store does not need.
    mutating func checkSupport() {
        for request in model.fetchRequests {
            reportLeftOut(
                "Fetch request template '\(request.name)'", at: request.location, "Write it as a fetch in Swift")
        }
        for configuration in model.configurations {
            reportLeftOut(
                "Configuration '\(configuration.name)'", at: configuration.location, "All entities are in one store")
        }
        for entity in model.entities {
            for property in entity.fetchedProperties {
                reportLeftOut(
                    "Fetched property '\(entity.name).\(property.name)'", at: property.location,
                    "Write it as a fetch in Swift")
            }
        }
    }

    private mutating func reportLeftOut(_ title: String, at location: SourceLocation, _ note: String) {
        report(
            .notSupported, .warning, at: location, "\(title) is left out: this release does not build it", notes: [note]
        )
    }
}
