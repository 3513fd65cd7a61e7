import Testing

@testable import AshlarTool

/// Manifests in the forms that people write, and the entries that a target needs.
@Suite struct ManifestTests {
    private func manifest(_ targets: String, rest: String = "", platforms: String = "platforms: [.macOS(.v15)],")
        -> String
    {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "Feed", \(platforms)
            dependencies: [
                .package(url: "https://example.org/Ashlar.git", from: "0.1.0"), // persistence
            ],
            targets: [
        \(targets)
            ])
        \(rest)
        """
    }

    private func edited(_ text: String, _ target: String = "Feed", ashlar: String = "ashlar") -> ManifestChanges.Outcome
    {
        ManifestChanges(toBuildModelsOf: target, in: PackageManifest(text), ashlar: ashlar).outcome
    }

    private static let product = ".product(name: \"Ashlar\", package: \"ashlar\")"
    private static let plugin = ".plugin(name: \"AshlarPlugin\", package: \"ashlar\")"

    @Test(arguments: [
        (
            "        .target(name: \"Feed\")",
            "        .target(name: \"Feed\", dependencies: [\(product)], plugins: [\(plugin)])"
        ),
        (
            "        .target(name: \"Feed\", dependencies: [], path: \"Feed\",),",
            "        .target(name: \"Feed\", dependencies: [\(product)], path: \"Feed\", plugins: [\(plugin)],),"
        ),
        (
            "        Target.executableTarget(name: \"Feed\", dependencies: [\"Core\", .target(name: \"Feed\")]),",
            "        Target.executableTarget(name: \"Feed\", dependencies: [\"Core\", .target(name: \"Feed\"), "
                + "\(product)], plugins: [\(plugin)]),"
        ),
        (
            """
                    .target(
                        name: "Core"
                    ),
                    .target(
                        name: "Feed",
                        dependencies: [
                            "Core",
                            .product(name: "Logging", package: "swift-log") // ] for \"all\"
                            /* and /* nothing */ else */
                        ],
                        swiftSettings: [.define("A")]
                    ),
            """,
            """
                    .target(
                        name: "Core"
                    ),
                    .target(
                        name: "Feed",
                        dependencies: [
                            "Core",
                            .product(name: "Logging", package: "swift-log"), // ] for \"all\"
                            /* and /* nothing */ else */
                            \(product)
                        ],
                        swiftSettings: [.define("A")],
                        plugins: [\(plugin)]
                    ),
            """
        ),
        (
            """
                    .target(
                        name: "Feed",
                        dependencies: [\(product)],
                        plugins: [
                            .plugin(name: "Other", package: "other"),
                        ]
                    ),
            """,
            """
                    .target(
                        name: "Feed",
                        dependencies: [\(product)],
                        plugins: [
                            .plugin(name: "Other", package: "other"),
                            \(plugin),
                        ]
                    ),
            """
        ),
    ])
    func usualForms(_ before: String, _ after: String) {
        #expect(edited(manifest(before)) == .edits(manifest(after)))
        #expect(edited(manifest(after)) == .nothingToDo)
    }

    /// With line breaks as Windows has them.
    @Test func lineBreaksAreThoseOfTheFile() {
        let before = manifest("        .target(\n            name: \"Feed\"\n        )")
        let after = manifest(
            "        .target(\n            name: \"Feed\",\n            dependencies: [\(Self.product)],\n"
                + "            plugins: [\(Self.plugin)]\n        )")
        #expect(edited(before) == .edits(after))
        func windows(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        }
        #expect(edited(windows(before)) == .edits(windows(after)))
    }

    /// Without platforms, a package supports systems that Ashlar is not built for.
    @Test func platforms() {
        let target = "        .target(name: \"Feed\", dependencies: [\(Self.product)], plugins: [\(Self.plugin)])"
        guard case .edits(let text) = edited(manifest(target, platforms: "")) else {
            Issue.record("nothing was added")
            return
        }
        #expect(text.contains("name: \"Feed\",\n    platforms: [.macOS(.v15), .iOS(.v18), "))
        #expect(edited(text) == .nothingToDo)
    }

    @Test func anotherName() {
        let text = manifest("        .target(name: \"Feed\")").replacing("/Ashlar.git", with: "/fork")
        guard case .edits(let result) = edited(text, ashlar: "fork") else {
            Issue.record("nothing was added")
            return
        }
        #expect(result.contains(".plugin(name: \"AshlarPlugin\", package: \"fork\")"))
    }

    @Test(arguments: [
        ("        makeTarget(\"Feed\")", "it has no target Feed."),
        ("        .target(name: \"Fee\" + \"d\")", "it has no target Feed."),
        ("        .target(name: \"Fe\\u{65}d\")", "it has no target Feed."),
        (
            "        .plugin(name: \"P\", capability: .buildTool(), dependencies: [.target(name: \"Feed\")])",
            "it has no target Feed."
        ),
        ("        .target(name: \"Feed\"), .testTarget(name: \"Feed\")", "it has more than one target Feed."),
        (
            "        .target(name: \"Feed\", dependencies: common + [\"Core\"])",
            "the dependencies of the target Feed are not a list in brackets."
        ),
        (
            "        .target(name: \"Feed\", plugins: plugins)",
            "the plugins of the target Feed are not a list in brackets."
        ),
        ("        .target(name: \"Feed", "it does not make its package in one call that can be read."),
        ("        .target(name: \"Feed\"", "it does not make its package in one call that can be read."),
    ])
    func formsThatAreNotUnderstood(_ targets: String, _ reason: String) {
        #expect(edited(manifest(targets)) == .notUnderstood(reason: reason))
    }

    @Test func packagesThatDoNotDependOnAshlar() {
        let text = manifest("        .target(name: \"Feed\")").replacing("/Ashlar.git", with: "/other")
        #expect(
            edited(text) == .notUnderstood(reason: "it does not name Ashlar among the dependencies of the package."))
        let two = manifest("        .target(name: \"Feed\")", rest: "let other = Package(name: \"Other\")")
        #expect(
            edited(two) == .notUnderstood(reason: "it does not make its package in one call that can be read."))
        #expect(edited("") == .notUnderstood(reason: "it does not make its package in one call that can be read."))
    }

    /// Any text is read without a crash. A text that is not Swift has no tokens.
    @Test(arguments: [
        "\"", "\"\\", "\"\\(", "\"\"\"", "#\"", "#\"\\#(\"\"", "/*", "/* /* */", "(", ")", "([)]", "Package(",
        "\"\\(\")\")\"",
        "Package(a: , )", ".target(name:)", ".target(,)", "\u{FEFF}Package()",
    ])
    func oddTexts(_ text: String) {
        let manifest = PackageManifest(text)
        #expect(manifest.targets.isEmpty)
        guard case .notUnderstood = ManifestChanges(toBuildModelsOf: "Feed", in: manifest, ashlar: "ashlar").outcome
        else {
            Issue.record("it was understood")
            return
        }
    }
}
