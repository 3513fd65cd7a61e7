import Synchronization

/// A relationship of an entity: where it leads, what it keeps, and where it is stored.
public final class RelationshipDescription: Sendable {
    /// What happens to the destination when an object is deleted.
    public enum DeletionRule: String, Sendable, Hashable {
        /// The reference to the deleted object becomes nil; the destination is deleted too; the deletion is refused; nothing is done.
        case nullify, cascade, deny, noAction
    }

    /// Where the references are stored.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Storage: Sendable, Hashable {
        /// In a column of the object's own row, by its position among the entity's columns.
        case column(Int)
        /// In a column of the destination's row, by its position there; an ordered relationship has an order column.
        case inverseColumn(Int, order: String?)
        /// In a table of its own.
        case joinTable(String, own: String, other: String, order: String?)
    }

    /// The name in the model.
    public let name: String
    /// The name of the destination entity.
    public let destination: String
    /// The position of the inverse among the destination's relationships; nil when there is none.
    @_spi(Generated) public let inverse: RelationshipNumber?
    /// Whether it leads to any number of objects.
    public let isToMany: Bool
    /// Whether its objects have an order that is stored.
    public let isOrdered: Bool
    /// Whether it may lead nowhere.
    public let isOptional: Bool
    /// The fewest objects of a to-many relationship; 0 when the model does not say.
    public let minimumModelCount: Int
    /// The most objects of a to-many relationship; 0 when there is no limit.
    public let maximumModelCount: Int
    /// What happens to the destination when an object is deleted.
    public let deletionRule: DeletionRule
    /// Where the references are stored.
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
