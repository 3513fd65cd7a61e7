// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, which depends on Ashlar as yours would: on its products alone.
let package = Package(
    name: "AshlarExamples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ashlar", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
        // The load test's clients. Hummingbird's tests need it anyway.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
    ],
    targets: [
        // The JSON of requests and responses, for the service and for its clients
        .target(name: "PhotoAPI"),
        .target(
            name: "PhotoService",
            dependencies: [
                "PhotoAPI",
                .product(name: "Ashlar", package: "ashlar"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
        .executableTarget(
            name: "PhotoServer",
            dependencies: ["PhotoService", .product(name: "Hummingbird", package: "hummingbird")]),
        // Clients that read and write at once, and check that they read whole transactions
        .target(
            name: "PhotoLoad",
            dependencies: [
                "PhotoAPI",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .executableTarget(name: "PhotoLoadTest", dependencies: ["PhotoLoad"]),
        .testTarget(
            name: "PhotoServiceTests",
            dependencies: [
                "PhotoAPI", "PhotoLoad", "PhotoService",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
