// swift-tools-version: 6.2
import PackageDescription

/// One release of the program whose stores are tested. All have the same source, and other versions of the model.
func gallery(_ number: Int) -> Target {
    .target(
        name: "Gallery\(number)", dependencies: ["GalleryRelease", .product(name: "Ashlar", package: "ashlar")],
        exclude: ["ashlar.json"], swiftSettings: [.define("GALLERY\(number)")],
        plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")])
}

/// A package of its own, so that nobody who uses the library resolves a web server or a client of PostgreSQL.
let package = Package(
    name: "AshlarHub",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "PostgresLog", targets: ["PostgresLog"]),
        .executable(name: "ashlar-hub", targets: ["AshlarHub"]),
    ],
    traits: [
        .trait(
            name: "TLS", description: "The hub speaks HTTPS itself. Without it, BoringSSL is not compiled."),
        .default(enabledTraits: ["TLS"]),
    ],
    dependencies: [
        .package(name: "ashlar", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.26.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "PostgresLog",
            dependencies: [
                "CLibPQ", .product(name: "AshlarSync", package: "ashlar"),
                .product(name: "AshlarHubSupport", package: "ashlar"),
            ]),
        // What is asked of a hub, and who may ask it
        .target(
            name: "HubServer",
            dependencies: [
                "PostgresLog", .product(name: "AshlarSync", package: "ashlar"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["TLS"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["TLS"])),
            ]),
        .executableTarget(
            name: "AshlarHub",
            dependencies: [
                "HubServer", "PostgresLog", .product(name: "AshlarSync", package: "ashlar"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
        // How many entries a hub takes, and how soon another store hears of one
        .executableTarget(
            name: "HubBenchmark",
            dependencies: [
                "HubServer", "PostgresLog", .product(name: "AshlarSync", package: "ashlar"),
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
            ]),
        // The test of it all: programs of three releases, with stores that follow one log
        .target(name: "GalleryRelease", dependencies: [.product(name: "Ashlar", package: "ashlar")]),
        gallery(1), gallery(2), gallery(3),
        .executableTarget(
            name: "GalleryPeer",
            dependencies: [
                "Gallery1", "Gallery2", "Gallery3", "GalleryRelease", .product(name: "Ashlar", package: "ashlar"),
                .product(name: "AshlarSync", package: "ashlar"),
                .product(name: "AshlarTesting", package: "ashlar"),
            ]),
        .executableTarget(
            name: "FleetTest",
            dependencies: ["GalleryRelease", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // SQLite itself, by which tests read stores
        .systemLibrary(
            name: "CPlainSQLite", path: "Tests/CPlainSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .testTarget(
            name: "HubTests",
            dependencies: [
                "CPlainSQLite", "Gallery1", "Gallery2", "GalleryRelease", "HubServer", "PostgresLog", .product(name: "AshlarSync", package: "ashlar"),
                .product(name: "AshlarSyncTesting", package: "ashlar"),
                .product(name: "Ashlar", package: "ashlar"),
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
    ],
    swiftLanguageModes: [.v6]
)
