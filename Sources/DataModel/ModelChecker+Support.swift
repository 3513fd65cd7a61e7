extension ModelChecker {
    /// What this release reads but does not build, and what the store does not need.
    mutating func checkSupport() {
        for configuration in model.configurations {
            reportLeftOut(
                "Configuration '\(configuration.name)'", at: configuration.location, "All entities are in one store")
        }
    }

    private mutating func reportLeftOut(_ title: String, at location: SourceLocation, _ note: String) {
        report(
            .notSupported, .warning, at: location, "\(title) is left out: this release does not build it", notes: [note]
        )
    }
}
