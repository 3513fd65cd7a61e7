import Containers

/// The traits of an entity that are read for each of its objects. They are read by their address, because reading the
/// description and its lists would count references.
///
/// Counting a reference takes as long as a dozen other instructions, and a deletion or a change that can be undone
/// would count about thirty. The description owns the traits. It outlives its objects, because it is a constant of the
/// generated class.
@usableFromInline
struct EntityTraits: @unchecked Sendable {
    // Unchecked only because of the pointers: their memory does not change once the description is created.

    let number: EntityNumber
    /// Whether the class adopts ``ManagedObjectLifecycle``.
    let hasLifecycle: Bool
    /// Whether changed objects have to be validated.
    let validatesUpdates: Bool
    /// Whether the deletion of an object changes or deletes members of its relationships, or is denied by them.
    let hasDependentMembers: Bool
    /// The bit mask of the foreign key columns.
    let referenceMask: UInt64
    /// The bit masks of the same names in the layout.
    let ownColumns: UInt64
    let unconvertedColumns: UInt64
    let notANumberColumns: UInt64
    /// Whether unknown raw values are read as a default case.
    let hasUnknownRawValues: Bool
    unowned(unsafe) let entity: EntityDescription
    unowned(unsafe) let layout: ValuesLayout
    let columns: ValuesLayout.ColumnPlaces
    /// The references by the numbers of the columns. The depth is negative for columns that are not references of the
    /// entity.
    let references: UnsafePointer<ValuesLayout.Reference>
    /// The positions of the foreign key columns, including inherited ones.
    let referenceColumns: UnsafeBufferPointer<Int>
    private let relationships: UnsafePointer<RelationshipTraits>
    let relationshipCount: Int

    init(
        _ entity: EntityDescription, referenceColumns: borrowing ConstantList<Int>,
        relationships: borrowing ConstantList<RelationshipTraits>
    ) {
        number = entity.number
        hasLifecycle = entity.hasLifecycle
        validatesUpdates = entity.validatesUpdates
        hasDependentMembers = !entity.dependentRelationships.isEmpty
        referenceMask = entity.referenceMask
        ownColumns = entity.layout.ownColumns
        unconvertedColumns = entity.layout.unconvertedColumns
        notANumberColumns = entity.layout.notANumberColumns
        hasUnknownRawValues = !entity.layout.unknownColumns.isEmpty
        self.entity = entity
        layout = entity.layout
        columns = entity.layout.places
        references = entity.layout.references.start
        self.referenceColumns = UnsafeBufferPointer(start: referenceColumns.start, count: referenceColumns.count)
        self.relationships = relationships.start
        relationshipCount = relationships.count
    }

    /// The numbers of the relationships.
    var numbers: RelationshipNumbers { RelationshipNumbers(endIndex: relationshipCount) }

    /// Returns whether the relationship with a number is the same as that of another entity.
    func has(_ number: RelationshipNumber, of other: UnsafePointer<EntityTraits>) -> Bool {
        number.position < relationshipCount
            && self[number].pointee.description == other.pointee[number].pointee.description
    }

    /// The relationship with a number, which the entity must have.
    @inline(__always)
    subscript(number: RelationshipNumber) -> UnsafePointer<RelationshipTraits> {
        precondition(number.position >= 0 && number.position < relationshipCount, "a relationship of another entity")
        return relationships + number.position
    }
}

/// The traits of a relationship that are read for each object, as for ``EntityTraits``.
struct RelationshipTraits: Sendable {
    /// The storage of the references, without the names that statements need.
    enum Place: Sendable {
        case column, inverseColumn, joinTable
    }

    let place: Place
    /// The position of the foreign key column in the object's row or the destination's; 0 if there is none.
    let column: Int
    let inverse: RelationshipNumber?
    let deletionRule: RelationshipDescription.DeletionRule
    let isToMany: Bool
    let isOrdered: Bool
    unowned(unsafe) let description: RelationshipDescription

    init(_ description: RelationshipDescription) {
        switch description.storage {
        case .column(let column): (place, self.column) = (.column, column)
        case .inverseColumn(let column, _): (place, self.column) = (.inverseColumn, column)
        case .joinTable: (place, column) = (.joinTable, 0)
        }
        inverse = description.inverse
        deletionRule = description.deletionRule
        isToMany = description.isToMany
        isOrdered = description.isOrdered
        self.description = description
    }
}

/// The destination of a relationship in a model, as for ``EntityTraits``.
struct RelationshipLead: @unchecked Sendable {
    // Unchecked only because of the pointer, to memory that an entity of the model owns and that never changes.

    /// The traits of the destination; nil if the model has no such entity.
    let destination: UnsafePointer<EntityTraits>?
    /// The destination's number; negative if the model has no such entity.
    let number: Int
    /// Whether an object's deletion needs only the identifier of the destination, not the destination itself.
    let isDetachedByIdentifier: Bool

    init(_ relationship: RelationshipDescription, _ number: Int?, _ destination: EntityDescription?) {
        self.number = number ?? -1
        self.destination = destination?.traits
        let isNullified = relationship.deletionRule == .nullify
        if let inverse = relationship.inverse, let destination {
            isDetachedByIdentifier =
                relationship.storage.isColumn && isNullified && !destination.relationships[inverse].storage.isColumn
        } else {
            isDetachedByIdentifier = relationship.storage.isColumn && isNullified
        }
    }
}

extension RelationshipDescription.Storage {
    /// Whether the references are in a column of the object's own row.
    var isColumn: Bool { if case .column = self { true } else { false } }
}

extension ManagedObject {
    /// The traits of the object's entity. They are looked up once per object, because reading the class counts a
    /// reference.
    final var traits: UnsafePointer<EntityTraits> {
        @inline(__always) get { record.traits ?? findTraits() }
    }

    @inline(never)
    private final func findTraits() -> UnsafePointer<EntityTraits> {
        let traits = type(of: self)._ashlarEntity.traits
        record.traits = traits
        return traits
    }

    /// The number of the root entity, whose table has the row.
    final var rootNumber: UInt16 {
        @inline(__always) get { traits.pointee.number.root }
    }
}
