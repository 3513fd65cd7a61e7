/// A relationship from one entity to another.
public struct Relationship: Sendable, Hashable {
    /// The effect of the source's deletion on the destination, with the spelling of the format.
    public enum DeletionRule: String, Sendable, Hashable, CaseIterable {
        case nullify = "Nullify"
        case cascade = "Cascade"
        case deny = "Deny"
        case noAction = "No Action"
    }

    public var name: String
    public var destinationName: String
    public var inverseName: String?
    public var inverseEntityName: String?
    public var isOptional: Bool
    public var isToMany: Bool
    public var isOrdered: Bool
    public var isTransient: Bool
    /// The least number of objects; 0 when the model does not say.
    public var minimumCount: Int
    /// The greatest number of objects; 0 when there is no limit.
    public var maximumCount: Int
    public var deletionRule: DeletionRule
    /// The name of the relationship in older versions (`elementID`).
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: UserInfo
    public var location: SourceLocation

    public init(
        name: String, destinationName: String, inverseName: String? = nil, inverseEntityName: String? = nil,
        isOptional: Bool = true, isToMany: Bool = false, isOrdered: Bool = false, isTransient: Bool = false,
        minimumCount: Int = 0, maximumCount: Int = 0, deletionRule: DeletionRule = .nullify,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: UserInfo = UserInfo(),
        location: SourceLocation = SourceLocation(file: "")
    ) {
        self.name = name
        self.destinationName = destinationName
        self.inverseName = inverseName
        self.inverseEntityName = inverseEntityName
        self.isOptional = isOptional
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isTransient = isTransient
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.deletionRule = deletionRule
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.location = location
    }

    /// The name by which versions are matched: the renaming identifier, else the name.
    public var canonicalName: String { renamingIdentifier ?? name }
}

extension Relationship {
    /// The entities at the other end.
    var entityNames: [String] {
        if let inverseEntityName, inverseEntityName != destinationName { return [destinationName, inverseEntityName] }
        return [destinationName]
    }
}
