// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that nobody who uses the library resolves a web server.
let package = Package(
    name: "AshlarStudio",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "ashlar-studio", targets: ["AshlarStudio"])],
    dependencies: [
        .package(name: "ashlar", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.83.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        // The pages, and who may ask for them
        .target(
            name: "StudioServer",
            dependencies: [
                .product(name: "AshlarStudioSupport", package: "ashlar"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "AshlarStudio",
            dependencies: [
                "StudioServer",
                .product(name: "AshlarStudioSupport", package: "ashlar"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),
        .testTarget(
            name: "StudioServerTests",
            dependencies: [
                "StudioServer",
                .product(name: "Ashlar", package: "ashlar"),
                .product(name: "AshlarStudioSupport", package: "ashlar"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["ashlar.json"],
            plugins: [.plugin(name: "AshlarPlugin", package: "ashlar")]),
    ],
    swiftLanguageModes: [.v6]
)
