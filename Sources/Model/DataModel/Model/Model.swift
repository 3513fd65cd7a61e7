/// One version of a data model, as plain values: the content of its `contents` file, and nothing derived from it.
public struct Model: Sendable, Hashable {
    /// The name of the version, which is its folder's without `.xcdatamodel`.
    public var name: String
    /// Free text that the author gives the version in Xcode.
    public var versionIdentifier: String
    public var entities: [Entity]
    public var composites: [Composite]
    public var configurations: [Configuration]
    public var fetchRequests: [FetchRequest]
    public var userInfo: UserInfo
    public var location: SourceLocation

    public init(
        name: String, versionIdentifier: String = "", entities: [Entity] = [], composites: [Composite] = [],
        configurations: [Configuration] = [], fetchRequests: [FetchRequest] = [], userInfo: UserInfo = UserInfo(),
        location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.versionIdentifier = versionIdentifier
        self.entities = entities
        self.composites = composites
        self.configurations = configurations
        self.fetchRequests = fetchRequests
        self.userInfo = userInfo
        self.location = location
    }
}

/// All versions of a model, oldest first, as an `.xcdatamodeld` bundle holds them.
public struct ModelBundle: Sendable, Hashable {
    /// The bundle's name without its extension.
    public var name: String
    /// The versions in the order in which they were made, ending with the current one or later ones.
    public var versions: [Model]
    /// The names of all versions that the bundle holds, in the same order, also of those that could not be read.
    public var versionNames: [String]
    /// The name of the version that the program is built for.
    public var currentVersionName: String
    public var location: SourceLocation

    public init(
        name: String, versions: [Model], versionNames: [String]? = nil, currentVersionName: String,
        location: SourceLocation
    ) {
        self.name = name
        self.versions = versions
        self.versionNames = versionNames ?? versions.map(\.name)
        self.currentVersionName = currentVersionName
        self.location = location
    }

    /// The version that the program is built for.
    public var currentVersion: Model? { versions.first { $0.name == currentVersionName } }
}

/// A named group of attributes that is used as the type of an attribute.
public struct Composite: Sendable, Hashable {
    public var name: String
    public var attributes: [Attribute]
    public var userInfo: UserInfo
    public var location: SourceLocation

    public init(
        name: String, attributes: [Attribute], userInfo: UserInfo = UserInfo(),
        location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.attributes = attributes
        self.userInfo = userInfo
        self.location = location
    }
}

/// A named subset of the entities, which a store may hold by itself.
public struct Configuration: Sendable, Hashable {
    /// An entity of a configuration.
    public struct Member: Sendable, Hashable {
        public var entityName: String
        public var location: SourceLocation

        public init(entityName: String, location: SourceLocation = SourceLocation(file: "")) {
            self.entityName = entityName
            self.location = location
        }
    }

    public var name: String
    public var members: [Member]
    public var location: SourceLocation

    public init(name: String, members: [Member], location: SourceLocation = SourceLocation(file: "")) {
        self.name = name
        self.members = members
        self.location = location
    }

    /// The names of the entities, in the order of the file.
    public var entityNames: [String] { members.map(\.entityName) }
}

/// A fetch request template, or the request of a fetched property.
public struct FetchRequest: Sendable, Hashable {
    public var name: String
    public var entityName: String
    /// The predicate in the format language; nil stands for all objects.
    public var predicate: String?
    public var fetchLimit: Int
    /// The number of objects that Core Data would load at a time; it has no effect here.
    public var fetchBatchSize: Int
    /// Whether objects of the entities below the entity are fetched too.
    public var includesSubentities = true
    /// Whether unsaved changes count.
    public var includesPendingChanges = true
    /// Where the predicate's characters are; nil when that is not known.
    public var predicateLocation: StringLocation?
    public var location: SourceLocation

    public init(
        name: String, entityName: String, predicate: String? = nil, fetchLimit: Int = 0, fetchBatchSize: Int = 0,
        location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.entityName = entityName
        self.predicate = predicate
        self.fetchLimit = fetchLimit
        self.fetchBatchSize = fetchBatchSize
        self.location = location
    }
}
