// swift-tools-version: 6.1
import PackageDescription

/// A package of its own, so that users of Ashlar do not resolve the packages that it is compared with.
let package = Package(
    name: "AshlarBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ashlar", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // Optimised in debug builds too, because it is the measure of the others.
        .target(
            name: "CLoops", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("sqlite3")]),
        // The common parts of the tables: taking turns, the clock, the proof of the same work, and the printing.
        .target(name: "BenchmarkHarness", dependencies: ["CLoops"]),
        .executableTarget(
            name: "AshlarBenchmarks",
            dependencies: [
                "BenchmarkHarness",
                "CLoops",
                .product(name: "Ashlar", package: "ashlar"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
        .executableTarget(
            name: "GraphBenchmarks",
            dependencies: [
                "BenchmarkHarness",
                "CLoops",
                .product(name: "Ashlar", package: "ashlar"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
        .executableTarget(
            name: "ApplicationBenchmarks",
            dependencies: [
                "BenchmarkHarness",
                "CLoops",
                .product(name: "Ashlar", package: "ashlar"),
                .product(name: "AshlarImport", package: "ashlar"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
        // Without GRDB, which takes minutes to compile.
        .executableTarget(
            name: "QueryBenchmarks",
            dependencies: ["CLoops", .product(name: "Ashlar", package: "ashlar")],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
        .executableTarget(
            name: "SyncBenchmarks",
            dependencies: [
                .product(name: "Ashlar", package: "ashlar"), .product(name: "AshlarSync", package: "ashlar"),
            ],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
        .executableTarget(
            name: "MigrationBenchmarks", dependencies: ["CLoops", .product(name: "Ashlar", package: "ashlar")]),
    ],
    swiftLanguageModes: [.v6]
)
