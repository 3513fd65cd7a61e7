/// The lines that a manifest lacks so that a target builds models, and the completed manifest.
struct ManifestChanges {
    /// The possible result.
    enum Outcome: Hashable {
        case nothingToDo
        /// The whole manifest with the additions.
        case edits(String)
        /// The manifest has an unusual form. It must not be changed then.
        case notUnderstood(reason: String)
    }

    /// The environment variable in which the command plugin passes the calling package's name for this package.
    static let identityVariable = "ASHLAR_PACKAGE_IDENTITY"
    private static let platforms = "[.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)]"

    let target: String
    private(set) var outcome = Outcome.nothingToDo
    /// The lines to add.
    private(set) var lines: [String] = []
    /// Whether the target itself is added, to a package that has none. Its folder must then be made.
    private(set) var addsTarget = false

    /// Finds the parts that a target lacks.
    ///
    /// - Parameter ashlar: The package's name for this package.
    init(toBuildModelsOf target: String, in manifest: PackageManifest, ashlar: String) {
        self.target = target
        look(in: manifest, package: ashlar)
    }

    private mutating func look(in manifest: PackageManifest, package: String) {
        let found = manifest.targets.filter { $0.name == target }
        guard !manifest.tokens.isEmpty, let call = manifest.package else {
            return refuse("it does not make its package in one call that can be read.")
        }
        guard manifest.dependencyIdentities.contains(package.lowercased()) else {
            return refuse("it does not name Ashlar among the dependencies of the package.")
        }
        var edits = ManifestEdits(manifest)
        let product = ".product(name: \"Ashlar\", package: \"\(package)\")"
        let plugin = ".plugin(name: \"AshlarPlugin\", package: \"\(package)\")"
        if manifest.targets.isEmpty, let dependencies = call.argument("dependencies"), manifest.saysNoTargets {
            let element = ".target(name: \"\(target)\", dependencies: [\(product)], plugins: [\(plugin)])"
            if let list = call.argument("targets") {
                edits.append(element, toListAt: list.value)
            } else {
                edits.add("targets", "[\(element)]", behind: dependencies)
            }
            lines.append("the package: targets: [\(element)]")
            addsTarget = true
            return finish(edits, in: manifest, call)
        }
        guard found.count == 1 else {
            let names = manifest.targets.map(\.name).joined(separator: ", ")
            return refuse(
                found.isEmpty
                    ? "it has no target \(target)\(names.isEmpty ? "" : ", only \(names)")."
                    : "it has more than one target \(target).")
        }
        guard add(product, naming: "Ashlar", to: "dependencies", of: found[0].call, in: manifest, &edits),
            add(plugin, naming: "AshlarPlugin", to: "plugins", of: found[0].call, in: manifest, &edits)
        else { return }
        finish(edits, in: manifest, call)
    }

    private mutating func finish(_ edits: ManifestEdits, in manifest: PackageManifest, _ call: SwiftCall) {
        var edits = edits
        // Without them the package is for systems on which Ashlar is not built.
        if call.argument("platforms") == nil, manifest.toolsVersion.major >= 6,
            let before = call.argument("defaultLocalization") ?? call.argument("name")
        {
            edits.add("platforms", Self.platforms, behind: before)
            lines.append("the package: platforms: \(Self.platforms)")
        }
        if lines.isEmpty { return }
        let text = edits.text
        // The new text is parsed again, so that no wrong manifest is left.
        guard Self.hasAll(target, PackageManifest(text)) else {
            return refuse("it is written in a way that is not known here.")
        }
        outcome = .edits(text)
    }

    /// The manifest of a package that has nothing yet.
    static func everything(target: String, package: String) -> [String] {
        [
            "platforms: \(platforms),",
            "dependencies: [.package(url: \"the URL of this repository, ending in /ashlar\", branch: \"main\")],",
            "targets: [",
            "    .target(",
            "        name: \"\(target)\",",
            "        dependencies: [.product(name: \"Ashlar\", package: \"\(package)\")],",
            "        plugins: [.plugin(name: \"AshlarPlugin\", package: \"\(package)\")]),",
            "]",
        ]
    }

    private mutating func refuse(_ reason: String) {
        lines = []
        addsTarget = false
        outcome = .notUnderstood(reason: reason)
    }

    /// Adds an element to a list of the target unless an element has the name; returns false if the argument is not a
    /// list.
    private mutating func add(
        _ element: String, naming name: String, to label: String, of call: SwiftCall, in manifest: PackageManifest,
        _ edits: inout ManifestEdits
    ) -> Bool {
        let line = "the target \(target): \(label): [\(element)]"
        guard let argument = call.argument(label) else {
            // Dependencies come behind the name, and plugins behind all else.
            let before = label == "dependencies" ? call.argument("name") : call.arguments.last
            guard let before else { return false }
            edits.add(label, "[\(element)]", behind: before)
            lines.append(line)
            return true
        }
        if manifest.contains(name, in: argument.value) { return true }
        guard manifest.isList(argument.value) else {
            refuse("the \(label) of the target \(target) are not a list in brackets.")
            return false
        }
        edits.append(element, toListAt: argument.value)
        lines.append(line)
        return true
    }

    /// Returns whether there is a target with the product and the plugin.
    private static func hasAll(_ target: String, _ manifest: PackageManifest) -> Bool {
        let found = manifest.targets.filter { $0.name == target }
        guard found.count == 1, manifest.package != nil,
            let dependencies = found[0].call.argument("dependencies"), let plugins = found[0].call.argument("plugins")
        else { return false }
        return manifest.contains("Ashlar", in: dependencies.value)
            && manifest.contains("AshlarPlugin", in: plugins.value)
    }
}
