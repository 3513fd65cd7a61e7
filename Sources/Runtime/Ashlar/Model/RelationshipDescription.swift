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
    /// The rows that it leads to as conditions speak of them, once one did.
    let relatedRows = Mutex<RelatedRows.Source?>(nil)
    /// The statements that read its members, once one did.
    let knownMemberStatements = Mutex<MemberStatements?>(nil)

    /// Makes a description; generated code does.
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

    /// Whether the deletion of an object changes the rows of its members, deletes them, or is denied by them. Where a table of
    /// its own has the pairs, they go without a change of the members.
    var hasDependentMembers: Bool {
        switch storage {
        case .column: false
        case .inverseColumn: deletionRule != .noAction
        case .joinTable: deletionRule == .cascade || deletionRule == .deny
        }
    }

    /// The table that has the members of owners, and its columns of owners and of members; nil of a relationship that is in a
    /// column of its own.
    func memberColumns(_ destination: EntityDescription) -> (table: String, owner: String, member: String)? {
        switch storage {
        case .column: nil
        case .inverseColumn(let column, _): (destination.tableName, destination.columns[column].name, "id$")
        case .joinTable(let table, let own, let other, _): (table, own, other)
        }
    }

    /// The rule that a count of objects breaks. An optional relationship may be empty whatever its minimum is; one that
    /// is not optional may be where the model sets no minimum.
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
