// swift-tools-version: 6.2
import PackageDescription

/// A program with committed code in Sources/Library/Generated. The build compiles no generator. After a change of the
/// model:
///
///     swift package ashlar generate Models/Library.xcdatamodeld --output Sources/Library/Generated
let package = Package(
    name: "CommittedCode",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ashlar", path: "../..")],
    targets: [
        .executableTarget(name: "Library", dependencies: [.product(name: "Ashlar", package: "ashlar")])
    ],
    swiftLanguageModes: [.v6]
)
