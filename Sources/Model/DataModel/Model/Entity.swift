/// An entity: a class with its properties, indexes and constraints.
public struct Entity: Sendable, Hashable {
    public var name: String
    /// The class name as the model gives it: absent, `.Name` and `Module.Name` occur.
    public var representedClassName: String?
    public var parentName: String?
    public var isAbstract: Bool
    public var attributes: [Attribute]
    public var relationships: [Relationship]
    public var fetchedProperties: [FetchedProperty]
    public var indexes: [FetchIndex]
    /// Each is the list of property names that together are unique.
    public var uniquenessConstraints: [UniquenessConstraint]
    /// The name of the entity in older versions (`elementID`).
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: UserInfo
    public var location: SourceLocation

    public init(
        name: String, representedClassName: String? = nil, parentName: String? = nil, isAbstract: Bool = false,
        attributes: [Attribute] = [], relationships: [Relationship] = [], fetchedProperties: [FetchedProperty] = [],
        indexes: [FetchIndex] = [], uniquenessConstraints: [UniquenessConstraint] = [],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: UserInfo = UserInfo(),
        location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.representedClassName = representedClassName
        self.parentName = parentName
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.indexes = indexes
        self.uniquenessConstraints = uniquenessConstraints
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.location = location
    }

    /// The name by which versions are matched: the renaming identifier, else the name.
    public var canonicalName: String { renamingIdentifier ?? name }
}

/// Properties whose values are together unique among the objects of an entity.
public struct UniquenessConstraint: Sendable, Hashable {
    public var propertyNames: [String]
    public var location: SourceLocation

    public init(_ propertyNames: [String], location: SourceLocation = SourceLocation(file: "")) {
        self.propertyNames = propertyNames
        self.location = location
    }
}

/// A property whose value is the result of a fetch.
public struct FetchedProperty: Sendable, Hashable {
    public var name: String
    public var request: FetchRequest
    public var userInfo: UserInfo
    public var location: SourceLocation

    public init(
        name: String, request: FetchRequest, userInfo: UserInfo = UserInfo(),
        location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.request = request
        self.userInfo = userInfo
        self.location = location
    }
}

/// The keys and values that an author attaches to an element, in document order.
public struct UserInfo: Sendable, Hashable {
    /// One key with its value.
    public struct Entry: Sendable, Hashable {
        public var key: String
        public var value: String
        public var location: SourceLocation

        public init(key: String, value: String, location: SourceLocation = SourceLocation(file: "")) {
            self.key = key
            self.value = value
            self.location = location
        }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The value of the last entry with the key.
    public subscript(key: String) -> String? { entry(key)?.value }

    /// The last entry with the key, with its place.
    public func entry(_ key: String) -> Entry? { entries.last { $0.key == key } }
}
