// swift-tools-version: 6.2
import PackageDescription

// What Scripts/static builds: a program that is one file, and needs none beside it.
let package = Package(
    name: "static-program",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ashlar", path: "../..", traits: ["StaticSQLite", "GeneratorFromSources"])],
    targets: [
        .executableTarget(
            name: "StaticProgram",
            dependencies: [.product(name: "Ashlar", package: "ashlar")],
            exclude: ["ashlar.json", "Models"],
            // Of the program alone: the tool that generates its code is linked as ever.
            linkerSettings: [.unsafeFlags(["-static-executable"])],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")])
    ],
    swiftLanguageModes: [.v6]
)
