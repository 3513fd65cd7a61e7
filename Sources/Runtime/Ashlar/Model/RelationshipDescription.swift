import Synchronization

/// The description of a relationship: its destination, its deletion rule, and its storage.
///
/// ``EntityDescription/relationships`` lists them. Core Data's counterpart is `NSRelationshipDescription`.
///
///     for relationship in Post.entity.relationships { print(relationship.name, relationship.destination) }
public final class RelationshipDescription: Sendable {
    /// The effect of an object's deletion on the destination of a relationship.
    public enum DeletionRule: String, Sendable, Hashable {
        /// The reference becomes nil; the destination is deleted too; the deletion fails; nothing happens.
        case nullify, cascade, deny, noAction
    }

    /// The storage of a relationship's references.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Storage: Sendable, Hashable {
        /// A column of the object's own row, by its position among the entity's columns.
        case column(Int)
        /// A column of the destination's row, by its position there. An ordered relationship has a column for the order
        /// too.
        case inverseColumn(Int, order: String?)
        /// A table of its own.
        case joinTable(String, own: String, other: String, order: String?)
    }

    /// The name in the model.
    public let name: String
    /// The name of the destination entity.
    public let destination: String
    /// The position of the inverse among the destination's relationships; nil when there is none.
    @_spi(Generated) public let inverse: RelationshipNumber?
    /// Whether the relationship has any number of objects.
    public let isToMany: Bool
    /// Whether the order of its objects is stored.
    public let isOrdered: Bool
    /// Whether the relationship may be empty.
    public let isOptional: Bool
    /// The minimum number of objects of a to-many relationship; 0 without a minimum.
    public let minimumModelCount: Int
    /// The maximum number of objects of a to-many relationship; 0 without a maximum.
    public let maximumModelCount: Int
    /// The effect of an object's deletion on the destination.
    public let deletionRule: DeletionRule
    /// The storage of the references.
    public let storage: Storage
    /// The related rows in the form that conditions use, after their first use.
    let relatedRows = Mutex<RelatedRows.Source?>(nil)
    /// The statements that read the members, after their first use.
    let knownMemberStatements = Mutex<MemberStatements?>(nil)

    /// Creates a description, for generated code.
    @_spi(Generated) public init(
        _ name: String, destination: String, inverse: RelationshipNumber?, isToMany: Bool = false,
        isOrdered: Bool = false,
        isOptional: Bool = true, minimumModelCount: Int = 0, maximumModelCount: Int = 0,
        deletionRule: DeletionRule = .nullify, storage: Storage
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.minimumModelCount = minimumModelCount
        self.maximumModelCount = maximumModelCount
        self.deletionRule = deletionRule
        self.storage = storage
    }
}

extension RelationshipDescription {
    /// Whether a save has to count the objects of a to-many relationship.
    var isBounded: Bool { isToMany && (minimumModelCount > 0 || maximumModelCount > 0) }

    /// Whether the deletion of an object changes or deletes the rows of its members, or is denied by them. If a join
    /// table has the pairs, their deletion does not change the members.
    var hasDependentMembers: Bool {
        switch storage {
        case .column: false
        case .inverseColumn: deletionRule != .noAction
        case .joinTable: deletionRule == .cascade || deletionRule == .deny
        }
    }

    /// Returns the table with the members of owners, and its columns of owners and members; nil for a relationship that
    /// is a column of the owner's row.
    func memberColumns(_ destination: EntityDescription) -> (table: String, owner: String, member: String)? {
        switch storage {
        case .column: nil
        case .inverseColumn(let column, _): (destination.tableName, destination.columns[column].name, "id$")
        case .joinTable(let table, let own, let other, _): (table, own, other)
        }
    }

    /// Returns the rule that a count of objects violates. An optional relationship may always be empty; a required one
    /// may be empty if the model sets no minimum.
    func rule(brokenBy count: Int) -> ValidationFailure.Rule? {
        let minimum = minimumModelCount
        if count < minimum, count > 0 || !isOptional { return .tooFewObjects(minimum: minimum) }
        return maximumModelCount > 0 && count > maximumModelCount ? .tooManyObjects(maximum: maximumModelCount) : nil
    }
}

extension RelationshipDescription: Hashable {
    public static func == (left: RelationshipDescription, right: RelationshipDescription) -> Bool {
        left === right
            || left.name == right.name && left.destination == right.destination && left.inverse == right.inverse
                && left.isToMany == right.isToMany && left.isOrdered == right.isOrdered
                && left.isOptional == right.isOptional && left.deletionRule == right.deletionRule
                && left.storage == right.storage
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(storage)
    }
}
