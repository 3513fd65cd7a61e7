// swift-tools-version: 6.2
import PackageDescription

/// The tool of Ashlar, compiled. It is a package of its own, because every package that depends on one with a binary target
/// downloads that target. Ashlar depends on this package only with the trait PrebuiltGenerator.
///
/// `Scripts/artifact-bundle` makes the bundle. The release workflow writes its address and checksum, and publishes this
/// folder as the repository `ashlar-prebuilt`.
let package = Package(
    name: "ashlar-prebuilt",
    products: [.executable(name: "AshlarPrebuilt", targets: ["AshlarPrebuilt"])],
    targets: [
        .binaryTarget(
            name: "AshlarPrebuilt",
            url: "https://ashlar.invalid/AshlarPrebuilt.artifactbundle.zip",
            checksum: "0000000000000000000000000000000000000000000000000000000000000000")
    ]
)
