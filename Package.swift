// swift-tools-version: 6.2
import PackageDescription

/// Where SQLite is a library like others rather than a part of the system's SDK.
let notApple: [Platform] = [.linux, .android, .windows, .openbsd, .wasi, .custom("freebsd")]

/// The system's SQLite, which pkg-config finds, or the same one's archive, which becomes a part of each program.
let sqlite: Target.Dependency = .target(
    name: "CSQLite", condition: .when(platforms: notApple, traits: ["SystemSQLite"]))
let staticSQLite: Target.Dependency = .target(
    name: "CSQLiteStatic", condition: .when(platforms: notApple, traits: ["StaticSQLite"]))

/// The generator and the command line tool as one compiled program.
let prebuiltTool: Target.Dependency = .product(
    name: "AshlarPrebuilt", package: "ashlar-prebuilt", condition: .when(traits: ["PrebuiltGenerator"]))

/// libxml2 and SQLite are the only libraries that the build tool links: it is built inside every user's package.
let package = Package(
    name: "ashlar",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Ashlar", targets: ["Ashlar"]),
        .library(name: "AshlarCoreData", targets: ["AshlarCoreData"]),
        .library(name: "AshlarImport", targets: ["AshlarImport"]),
        .library(name: "AshlarLogging", targets: ["AshlarLogging"]),
        .library(name: "AshlarSync", targets: ["AshlarSync"]),
        .library(name: "AshlarSyncTesting", targets: ["AshlarSyncTesting"]),
        .library(name: "AshlarTesting", targets: ["AshlarTesting"]),
        .library(name: "AshlarTestingTraits", targets: ["AshlarTestingTraits"]),
        .plugin(name: "AshlarPlugin", targets: ["AshlarPlugin"]),
        .plugin(name: "AshlarCommand", targets: ["AshlarCommand"]),
        .executable(name: "ashlar", targets: ["AshlarTool"]),
        // For the package in Studio only, without a promise of stability.
        .library(
            name: "AshlarStudioSupport", targets: ["StoreBrowsing", "ModelAuthoring", "DataModel", "ModelDiagram"]),
        // For the package in Sync alone, and @_spi(Hub).
        .library(name: "AshlarHubSupport", targets: ["LogTables"]),
    ],
    traits: [
        .default(enabledTraits: ["SystemSQLite", "GeneratorFromSources"]),
        .trait(
            name: "SystemSQLite",
            description: "Links the system's SQLite, or the one whose sqlite3.pc pkg-config finds first. The default."),
        .trait(
            name: "StaticSQLite",
            description: "Links libsqlite3.a into each program. In place of SystemSQLite, and not on Apple's systems."),
        .trait(
            name: "FoundationEssentials",
            description: "Builds the runtime with FoundationEssentials, without regular expressions and locales."),
        .trait(
            name: "GeneratorFromSources",
            description: "The build tool plugin compiles the generator in each user's build. The default."),
        .trait(
            name: "PrebuiltGenerator",
            description: "The plugins run a tool that SwiftPM downloads. In place of GeneratorFromSources."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        // SwiftPM reads it only with the trait PrebuiltGenerator. The first release gives it its address.
        .package(url: "https://ashlar.invalid/ashlar-prebuilt", exact: "0.1.0"),
    ],
    targets: [
        // System libraries
        .systemLibrary(
            name: "CSQLite", path: "Sources/Shared/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        // Without pkg-config, which would name the shared library too.
        .systemLibrary(
            name: "CSQLiteStatic", path: "Sources/Shared/CSQLiteStatic", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CLibXML2", path: "Sources/Model/CLibXML2", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),

        // Build time: read -> check -> plan -> emit
        .target(
            name: "CXMLReader", dependencies: ["CLibXML2"],
            // A C target does not follow the module map that would link the library.
            path: "Sources/Model/CXMLReader", linkerSettings: [.linkedLibrary("xml2")]),
        .target(name: "DataModel", dependencies: ["Digests", "PredicateFormat"], path: "Sources/Model/DataModel"),
        .target(
            name: "ModelFormat", dependencies: ["DataModel", "CXMLReader", "FileErrors"],
            path: "Sources/Model/ModelFormat"),
        .target(name: "PredicateFormat", dependencies: ["SQLQuoting"], path: "Sources/Shared/PredicateFormat"),
        .target(name: "SQLQuoting", path: "Sources/Shared/SQLQuoting"),
        .target(
            name: "RelationalSchema", dependencies: ["DataModel", "PredicateFormat", "SQLQuoting", "StoreDescription"],
            path: "Sources/Generator/RelationalSchema"),
        .target(
            name: "SchemaMigration",
            dependencies: [
                "AshlarSQLite", "ChainCollapse", "DataModel", "Digests", "RelationalSchema", "StoreDescription",
            ],
            path: "Sources/Generator/SchemaMigration"),
        .target(
            name: "SwiftGeneration",
            dependencies: ["DataModel", "PredicateFormat", "RelationalSchema", "SchemaMigration", "StoreDescription"],
            path: "Sources/Generator/SwiftGeneration"),
        .target(
            name: "GeneratorPipeline",
            dependencies: [
                "DataModel", "FileErrors", "ModelFormat", "RelationalSchema", "SchemaMigration", "StoreDescription",
                "SwiftGeneration",
            ],
            path: "Sources/Generator/GeneratorPipeline"),
        .target(name: "ModelDiagram", dependencies: ["DataModel"], path: "Sources/Model/ModelDiagram"),
        .executableTarget(
            name: "AshlarGenerator", dependencies: ["DataModel", "FileErrors", "GeneratorPipeline"],
            path: "Sources/Generator/AshlarGenerator"),
        .executableTarget(
            name: "AshlarTool",
            dependencies: [
                "Ashlar", "AshlarCoreData", "AshlarImport", "AshlarSQLite", "CachedModels", "CoreDataStore",
                "DataModel",
                "FileErrors", "GeneratorPipeline", "IndexAdvice", "LanguageServer",
                "ModelComparison", "ModelDiagram", "ModelFormat", "ModelMerge", "PlannedModel", "RelationalSchema",
                "SchemaMigration",
                "StoreChecking", "StoreExchange", "StoreInspection", "StoreReversal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Tools/AshlarTool"),
        .plugin(
            name: "AshlarPlugin", capability: .buildTool(),
            dependencies: [
                .target(name: "AshlarGenerator", condition: .when(traits: ["GeneratorFromSources"])), prebuiltTool,
            ]),
        .plugin(
            name: "AshlarCommand",
            capability: .command(
                intent: .custom(verb: "ashlar", description: "Checks models and shows their schema and migrations.")),
            // Not the tool from sources: it would be compiled for the plugin a second time, with the whole runtime.
            dependencies: [prebuiltTool]),

        // For build and run time: hashes, and the errors of the file system
        .target(name: "Digests", path: "Sources/Shared/Digests"),
        .target(name: "FileErrors", dependencies: ["SystemFoundation"], path: "Sources/Shared/FileErrors"),
        // The part of Foundation that the runtime is built with
        .target(name: "SystemFoundation", path: "Sources/Shared/SystemFoundation"),
        // The descriptions of stores that the generator writes and the runtime reads
        .target(name: "StoreDescription", dependencies: ["SQLQuoting"], path: "Sources/Shared/StoreDescription"),

        // Run time
        .target(
            name: "AshlarSQLite",
            dependencies: [
                "CSQLiteSettings", "SQLQuoting", "SystemFoundation", sqlite, staticSQLite,
            ],
            path: "Sources/Shared/AshlarSQLite",
            linkerSettings: [
                .linkedLibrary(":libsqlite3.a", .when(platforms: notApple, traits: ["StaticSQLite"])),
                .linkedLibrary("m", .when(platforms: notApple, traits: ["StaticSQLite"])),
            ]),
        // Stores that Core Data and SwiftData wrote: their content, the SQL that copies it, and the import
        .target(
            name: "CoreDataStore",
            dependencies: ["AshlarSQLite", "FileErrors", "SQLQuoting", "StoreDescription", "SystemFoundation"],
            path: "Sources/Runtime/CoreDataStore"),
        .target(
            name: "AshlarImport",
            dependencies: [
                "Ashlar", "AshlarSQLite", "CoreDataStore", "SQLQuoting", "StoreDescription", "SystemFoundation",
            ],
            path: "Sources/Runtime/AshlarImport"),
        .target(
            name: "ChainCollapse", dependencies: ["SQLQuoting", "StoreDescription"],
            path: "Sources/Shared/ChainCollapse"),
        .target(name: "CPrefetch", path: "Sources/Runtime/CPrefetch"),
        .target(name: "Containers", path: "Sources/Runtime/Containers"),
        .target(
            name: "CSQLiteSettings",
            dependencies: [sqlite, staticSQLite], path: "Sources/Shared/CSQLiteSettings"),
        .target(
            name: "Ashlar",
            dependencies: [
                "AshlarSQLite", "ChainCollapse", "Containers", "CPrefetch", "FileErrors", "SQLQuoting",
                "StoreDescription", "SystemFoundation",
            ],
            // For reading a row without a copy: only this limits a span to the lifetime of its row.
            path: "Sources/Runtime/Ashlar", swiftSettings: [.enableExperimentalFeature("Lifetimes")]),

        // For code that comes from Core Data: format strings, and its names with hints
        .target(
            name: "AshlarCoreData",
            dependencies: ["Ashlar", "AshlarSQLite", "PredicateFormat", "SystemFoundation"],
            path: "Sources/Runtime/AshlarCoreData"),
        // Statements and warnings in a log of swift-log
        .target(
            name: "AshlarLogging", dependencies: ["Ashlar", .product(name: "Logging", package: "swift-log")],
            path: "Sources/Runtime/AshlarLogging"),

        // Stores that follow one log
        .target(
            name: "AshlarSync",
            dependencies: ["Ashlar", "AshlarSQLite", "Digests", "FileErrors", "SQLQuoting", "StoreDescription"],
            path: "Sources/Sync/AshlarSync"),

        // The rows of a log, by a model that is read when a hub runs
        .target(
            name: "LogTables",
            dependencies: [
                "Ashlar", "AshlarSync", "DataModel", "GeneratorPipeline", "ModelFormat", "PlannedModel",
                "RelationalSchema", "StoreDescription", "SwiftGeneration",
            ],
            path: "Sources/Sync/LogTables"),

        // Both: for the command line tool, and for tests of users
        .target(
            name: "PlannedModel",
            dependencies: [
                "Ashlar", "AshlarSQLite", "DataModel", "GeneratorPipeline", "RelationalSchema", "SchemaMigration",
                "StoreDescription",
                "SwiftGeneration",
            ],
            path: "Sources/Tools/PlannedModel"),
        // For the command line tool
        .target(
            name: "IndexAdvice",
            dependencies: [
                "Ashlar", "AshlarCoreData", "AshlarSQLite", "DataModel", "FileErrors", "PlannedModel",
                "PredicateFormat",
                "RelationalSchema", "SQLQuoting",
            ],
            path: "Sources/Tools/IndexAdvice"),
        // Two edits of a model as one
        .target(name: "ModelMerge", dependencies: ["DataModel", "ModelFormat"], path: "Sources/Model/ModelMerge"),
        // Answers editors while a person types
        .target(
            name: "LanguageServer",
            dependencies: [
                "DataModel", "FileErrors", "GeneratorPipeline", "ModelFormat", "PredicateFormat", "RelationalSchema",
                "SchemaMigration", "SwiftGeneration",
            ],
            path: "Sources/Tools/LanguageServer"),
        // The differences between two versions of a model
        .target(
            name: "ModelComparison", dependencies: ["DataModel", "GeneratorPipeline", "SchemaMigration"],
            path: "Sources/Model/ModelComparison"),
        // The objects of a store as text, and the way back
        .target(
            name: "StoreExchange",
            dependencies: [
                "Ashlar", "AshlarSQLite", "FileErrors", "SQLQuoting", "StoreChecking", "StoreDescription",
            ],
            path: "Sources/Tools/StoreExchange"),
        // A model for a database that has none
        .target(
            name: "StoreReversal",
            dependencies: ["Ashlar", "AshlarSQLite", "ModelMerge", "SQLQuoting", "StoreExchange"],
            path: "Sources/Tools/StoreReversal"),
        // The content of a database file, from any program
        .target(
            name: "StoreInspection",
            dependencies: [
                "Ashlar", "AshlarImport", "AshlarSQLite", "CoreDataStore", "Digests", "FileErrors", "IndexAdvice",
                "SQLQuoting",
            ],
            path: "Sources/Tools/StoreInspection"),
        // Checks and repairs of a store's data by the rules of the model
        .target(
            name: "StoreChecking",
            dependencies: ["Ashlar", "AshlarSQLite", "DataModel", "RelationalSchema", "StoreDescription"],
            path: "Sources/Tools/StoreChecking"),
        // The model that a store of Core Data's keeps beside its data
        .target(name: "CachedModels", dependencies: ["AshlarImport", "DataModel"], path: "Sources/Tools/CachedModels"),
        // A store, page by page, for a viewer: the browser's half without the browser
        .target(
            name: "StoreBrowsing",
            dependencies: [
                "Ashlar", "AshlarCoreData", "AshlarImport", "AshlarSQLite", "CachedModels", "DataModel", "FileErrors",
                "GeneratorPipeline", "IndexAdvice", "ModelDiagram", "ModelFormat", "PlannedModel", "PredicateFormat",
                "RelationalSchema", "SQLQuoting", "StoreDescription",
                "StoreExchange", "StoreInspection",
            ],
            path: "Sources/Tools/StoreBrowsing"),
        // Edits of a model in a browser
        .target(
            name: "ModelAuthoring",
            dependencies: [
                "DataModel", "FileErrors", "GeneratorPipeline", "IndexAdvice", "ModelComparison", "ModelDiagram",
                "ModelFormat", "ModelMerge", "RelationalSchema", "SchemaMigration",
            ],
            path: "Sources/Tools/ModelAuthoring"),
        .target(name: "RandomNumbers", path: "Sources/Testing/RandomNumbers"),
        // Random values that a model allows: for the tests of users, and for our own
        .target(
            name: "RandomData", dependencies: ["Ashlar", "AshlarSQLite", "DataModel", "RandomNumbers"],
            path: "Sources/Testing/RandomData"),
        .target(
            name: "AshlarTesting",
            dependencies: [
                "Ashlar", "AshlarSQLite", "CStoreFaults", "DataModel", "FileErrors", "GeneratorPipeline", "IndexAdvice",
                "ModelFormat", "PlannedModel", "RandomData", "RandomNumbers", "RelationalSchema", "SchemaMigration",
                "StoreDescription",
                "StoreExchange",
            ],
            path: "Sources/Testing/AshlarTesting"),
        // The file layer below SQLite that fails on a test's request
        .target(
            name: "CStoreFaults", dependencies: [sqlite, staticSQLite],
            path: "Sources/Testing/CStoreFaults",
            linkerSettings: [.linkedLibrary("sqlite3", .when(traits: ["SystemSQLite"]))]),
        // The requirements of a log, for tests of your own logs
        .target(
            name: "AshlarSyncTesting", dependencies: ["AshlarSync", "Digests", "RandomNumbers"],
            path: "Sources/Sync/AshlarSyncTesting"),
        // Traits for Swift Testing, which AshlarTesting does not need, so that it works with XCTest
        .target(
            name: "AshlarTestingTraits", dependencies: ["Ashlar", "AshlarTesting"],
            path: "Sources/Testing/AshlarTestingTraits"),

        // The sample
        .target(
            name: "PhotoFeedFirstRelease", dependencies: ["Ashlar"], path: "Sources/Sample/PhotoFeedFirstRelease",
            exclude: ["ashlar.json"], plugins: ["AshlarPlugin"]
        ),
        .executableTarget(
            name: "PhotoFeed", dependencies: ["Ashlar", "PhotoFeedFirstRelease"], path: "Sources/Sample/PhotoFeed",
            plugins: ["AshlarPlugin"]),

        // A store that another program replicates; see Scripts/litestream
        .executableTarget(
            name: "ReplicatedStore", dependencies: ["Ashlar"], path: "Tests/ReplicatedStore",
            exclude: ["ashlar.json", "Models"], plugins: ["AshlarPlugin"]),

        // Counts that must not grow with a store
        .target(
            name: "Counters", dependencies: [sqlite, staticSQLite], path: "Benchmarks/Growth/Counters",
            linkerSettings: [.linkedLibrary("sqlite3", .when(traits: ["SystemSQLite"]))]),
        .executableTarget(
            name: "Growth", dependencies: ["Ashlar", "AshlarCoreData", "Counters"], path: "Benchmarks/Growth/Program",
            exclude: ["ashlar.json", "Models"], plugins: ["AshlarPlugin"]),

        // Tests
        .target(
            name: "CFaultInjection",
            dependencies: [sqlite, staticSQLite],
            path: "Tests/CFaultInjection", linkerSettings: [.linkedLibrary("sqlite3", .when(traits: ["SystemSQLite"]))]),
        .target(name: "CWatchdog", path: "Tests/CWatchdog"),
        .target(name: "AwkwardText", path: "Tests/AwkwardText"),
        .target(name: "RandomSeeds", dependencies: ["RandomNumbers"], path: "Tests/RandomSeeds"),
        .target(name: "ThreadTraits", path: "Tests/ThreadTraits"),
        .testTarget(name: "DigestsTests", dependencies: ["Digests"]),
        .testTarget(name: "AshlarSQLiteTests", dependencies: ["AshlarSQLite"]),
        .testTarget(name: "RandomSeedsTests", dependencies: ["RandomNumbers", "RandomSeeds"]),
        .target(
            name: "TestDatabase",
            dependencies: [sqlite, staticSQLite],
            path: "Tests/TestDatabase"),
        .target(
            name: "StoreChecks",
            dependencies: [
                "Ashlar", "AshlarSQLite", "DataModel", "ModelFormat", "RandomData", "RandomNumbers", "RelationalSchema",
                "StoreChecking",
            ],
            path: "Tests/StoreChecks"),
        .target(name: "SyncLogs", dependencies: ["AshlarSync"], path: "Tests/SyncLogs"),
        // Stores that follow a log, as users have them, and a log that loses or falsifies nothing
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Ashlar", "AshlarSync", "AshlarSyncTesting", "Digests", "RandomNumbers", "RandomSeeds", "SyncLogs",
            ],
            exclude: ["ashlar.json", "Models"], plugins: ["AshlarPlugin"]),
        .testTarget(
            name: "AshlarTests",
            dependencies: [
                "Ashlar", "AshlarCoreData", "AshlarLogging", "AshlarSQLite", "AshlarSync", "AshlarSyncTesting",
                "AshlarTesting", "AwkwardText", "CFaultInjection", "CWatchdog", "DataModel",
                "GeneratorPipeline", "IndexAdvice", "ModelFormat",
                "RandomData", "RandomNumbers", "RandomSeeds", "RelationalSchema", "StoreChecks", "StoreDescription",
                "SyncLogs", "ThreadTraits", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["ashlar.json", "Golden", "Models"],
            plugins: ["AshlarPlugin"]),
        // A user's package, which imports public declarations only
        .testTarget(
            name: "PublicAPITests",
            dependencies: [
                "Ashlar", "AshlarCoreData", "AshlarSync", "AshlarTesting", "AshlarTestingTraits", "CWatchdog",
                "ThreadTraits",
                "ToolProgram",
            ],
            exclude: ["ashlar.json", "Models", "Plans"],
            plugins: ["AshlarPlugin"]),
        // Contexts and stores beside plain Swift values that share no code with Ashlar
        .testTarget(
            name: "OracleTests",
            dependencies: [
                "Ashlar", "AshlarCoreData", "PredicateFormat", "RandomNumbers", "RandomSeeds", "ThreadTraits",
            ],
            exclude: ["Expressions.txt", "ashlar.json", "Models"], plugins: ["AshlarPlugin"]),
        // Stores that earlier releases of Ashlar made
        .testTarget(
            name: "KeptStoresTests",
            dependencies: ["Ashlar", "AshlarSQLite", "AshlarSync", "GeneratorPipeline", "PlannedModel"],
            exclude: ["ashlar.json", "Models", "Stores"],
            plugins: ["AshlarPlugin"]),
        // A model of an app that is ported as it is
        .testTarget(
            name: "PortedModelTests", dependencies: ["Ashlar", "AshlarTesting"], exclude: ["ashlar.json", "Models"],
            plugins: ["AshlarPlugin"]),
        // Stores that Core Data wrote, as a program has them that moves from there
        .testTarget(
            name: "ImportTests",
            dependencies: [
                "Ashlar", "AshlarImport", "CFaultInjection", "GeneratorPipeline", "PlannedModel", "RandomNumbers",
                "RandomSeeds", "TestDatabase", "ThreadTraits", "ToolProgram",
            ],
            exclude: ["ashlar.json", "Models"],
            plugins: ["AshlarPlugin"]),
        .testTarget(name: "GeneratedCodeTests", dependencies: ["Ashlar"]),
        .testTarget(name: "IsolationTests", dependencies: ["Ashlar"], exclude: ["Programs"]),
        .testTarget(
            name: "CompilationTests",
            dependencies: [
                "Ashlar", "AshlarCoreData", "AshlarImport", "AshlarLogging", "AshlarSync", "AshlarSyncTesting",
                "AshlarTesting", "AshlarTestingTraits", "AwkwardText", "DataModel", "GeneratorPipeline", "ModelFormat",
                "SwiftGeneration",
            ],
            exclude: ["Programs"]),
        .testTarget(
            name: "GeneratorPipelineTests",
            dependencies: [
                "DataModel", "GeneratorPipeline", "ModelFormat", "RandomNumbers", "RandomSeeds", "RelationalSchema",
                "SchemaMigration", "StoreDescription", "SwiftGeneration",
            ]),
        .testTarget(
            name: "LanguageServerTests",
            dependencies: [
                "DataModel", "GeneratorPipeline", "LanguageServer", "ModelFormat", "RandomNumbers", "RandomSeeds",
            ]),
        .testTarget(
            name: "ModelDiagramTests",
            dependencies: ["AwkwardText", "DataModel", "ModelDiagram", "ModelFormat", "RandomNumbers", "RandomSeeds"],
            exclude: ["Golden"]),
        .target(name: "ToolProgram", path: "Tests/ToolProgram"),
        .testTarget(
            name: "AshlarToolTests",
            dependencies: [
                "AshlarTool", "DataModel", "FileErrors", "ModelFormat", "ToolProgram",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "WorkbenchTests",
            dependencies: [
                "Ashlar", "AshlarSQLite", "AwkwardText", "DataModel", "GeneratorPipeline", "ModelComparison",
                "ModelFormat", "ModelMerge", "PlannedModel", "RandomNumbers", "RandomSeeds", "SQLQuoting",
                "StoreChecking", "StoreExchange", "StoreReversal", "ToolProgram",
            ]),
        .testTarget(
            name: "MigrationTests",
            dependencies: [
                "Ashlar", "AshlarSQLite", "AshlarSync", "AshlarTool", "CachedModels", "CFaultInjection", "DataModel",
                "GeneratorPipeline",
                "PlannedModel", "RandomNumbers", "RandomSeeds", "StoreDescription", "SyncLogs", "ThreadTraits",
                "ToolProgram", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Models"]),
        .testTarget(
            name: "CustomMigrationTests",
            dependencies: ["Ashlar", "AshlarSQLite"],
            exclude: ["ashlar.json", "Models"], plugins: ["AshlarPlugin"]),
        .testTarget(
            name: "AshlarTestingTests",
            dependencies: [
                "Ashlar", "AshlarSQLite", "AshlarTesting", "DataModel", "RandomData", "RandomNumbers", "RandomSeeds",
                "RelationalSchema", "SchemaMigration",
            ],
            exclude: ["ashlar.json", "Models"], plugins: ["AshlarPlugin"]),
        .testTarget(
            name: "StoreBrowsingTests",
            dependencies: [
                "Ashlar", "AshlarSQLite", "RandomNumbers", "RandomSeeds", "StoreBrowsing", "StoreInspection",
                "ToolProgram",
            ],
            exclude: ["ashlar.json", "Models"], plugins: ["AshlarPlugin"]),
        .testTarget(
            name: "ContainersTests", dependencies: ["Containers", "RandomNumbers", "RandomSeeds", "ThreadTraits"]),
        .testTarget(
            name: "PredicateFormatTests",
            dependencies: ["PredicateFormat", "RandomNumbers", "RandomSeeds", "SQLQuoting"]),
        .testTarget(name: "SwiftGenerationTests", dependencies: ["AwkwardText", "SwiftGeneration"]),
        .testTarget(name: "StoreDescriptionTests", dependencies: ["AwkwardText", "RandomNumbers", "StoreDescription"]),
        .testTarget(name: "DataModelTests", dependencies: ["DataModel", "Digests"]),
        .target(
            name: "CRelaxNG", dependencies: ["CLibXML2"], path: "Tests/CRelaxNG",
            linkerSettings: [.linkedLibrary("xml2")]),
        .testTarget(
            name: "ModelFormatTests",
            dependencies: ["AwkwardText", "CRelaxNG", "DataModel", "ModelFormat", "RandomNumbers", "RandomSeeds"]),
        .testTarget(
            name: "RelationalSchemaTests",
            dependencies: [
                "AwkwardText", "DataModel", "RandomNumbers", "RandomSeeds", "RelationalSchema", "TestDatabase",
                sqlite, staticSQLite,
            ]),
        .testTarget(
            name: "IndexAdviceTests",
            dependencies: [
                "DataModel", "GeneratorPipeline", "IndexAdvice", "ModelFormat", "RandomNumbers", "RandomSeeds",
                "RelationalSchema", "TestDatabase",
            ]),
        .testTarget(
            name: "SchemaMigrationTests",
            dependencies: [
                "ChainCollapse", "DataModel", "ModelFormat", "RandomNumbers", "RandomSeeds", "RelationalSchema",
                "SchemaMigration", "StoreDescription", "TestDatabase",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
