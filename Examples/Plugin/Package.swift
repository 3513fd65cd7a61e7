// swift-tools-version: 6.2
import PackageDescription

/// A program whose build generates code with the plugin. `swift run` compiles the generator. With `--traits Prebuilt`,
/// it runs the prebuilt one.
let package = Package(
    name: "Plugin",
    platforms: [.macOS(.v15)],
    traits: [
        .default(enabledTraits: ["FromSources"]),
        .trait(name: "FromSources", description: "The build compiles the generator. The default."),
        .trait(name: "Prebuilt", description: "SwiftPM downloads the generator."),
    ],
    dependencies: [
        .package(
            name: "ashlar", path: "../..",
            traits: [
                "SystemSQLite",
                .trait(name: "GeneratorFromSources", condition: .when(traits: ["FromSources"])),
                .trait(name: "PrebuiltGenerator", condition: .when(traits: ["Prebuilt"])),
            ])
    ],
    targets: [
        .executableTarget(
            name: "Library", dependencies: [.product(name: "Ashlar", package: "ashlar")],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")])
    ],
    swiftLanguageModes: [.v6]
)
