import Containers

/// The traits of an entity that are read for each of its objects, by address, because reading the description and its
/// lists would count references.
///
/// To count one takes as long as a dozen other instructions, and a deletion or a change that can be undone asks some thirty
/// times. The description owns it, and outlives its objects: it is a constant of the generated class.
@usableFromInline
struct EntityTraits: @unchecked Sendable {
    // Unchecked because of the pointers alone: nothing is written there once the description is made.

    let number: EntityNumber
    /// Whether the class adopts ``ManagedObjectLifecycle``.
    let hasLifecycle: Bool
    /// Whether there are rules for the values of changed objects.
    let validatesUpdates: Bool
    /// Whether the deletion of an object changes or deletes members of its relationships, or is denied by them.
    let hasDependentMembers: Bool
    /// The bits of the foreign key columns.
    let referenceMask: UInt64
    /// As the layout's bits of the same names.
    let ownColumns: UInt64
    let unconvertedColumns: UInt64
    let notANumberColumns: UInt64
    /// Whether raw values without a case are read as another one.
    let hasUnknownRawValues: Bool
    unowned(unsafe) let entity: EntityDescription
    unowned(unsafe) let layout: ValuesLayout
    let columns: ValuesLayout.ColumnPlaces
    /// By the numbers of the columns; the depth is negative for columns that are no references of the entity.
    let references: UnsafePointer<ValuesLayout.Reference>
    /// The positions of the foreign key columns, inherited ones included.
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

    /// Returns whether a relationship of a number is the same as that of another entity.
    func has(_ number: RelationshipNumber, of other: UnsafePointer<EntityTraits>) -> Bool {
        number.position < relationshipCount
            && self[number].pointee.description == other.pointee[number].pointee.description
    }

    /// A relationship, by a number that the entity has.
    @inline(__always)
    subscript(number: RelationshipNumber) -> UnsafePointer<RelationshipTraits> {
        precondition(number.position >= 0 && number.position < relationshipCount, "a relationship of another entity")
        return relationships + number.position
    }
}

/// The traits of a relationship that are read for each object, as in ``EntityTraits``.
struct RelationshipTraits: Sendable {
    /// Where the references are stored, without the names that statements need.
    enum Place: Sendable {
        case column, inverseColumn, joinTable
    }

    let place: Place
    /// The position of the foreign key column among those of the object's row, or of the destination's; 0 where there is none.
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

/// Where a relationship leads in a model, as with ``EntityTraits``.
struct RelationshipLead: @unchecked Sendable {
    // Unchecked because of the pointer alone, to what an entity of the model owns and nothing changes.

    /// The traits of the destination; nil if the model has no such entity.
    let destination: UnsafePointer<EntityTraits>?
    /// The destination's number; negative where the model has no such entity.
    let number: Int
    /// Whether the identifier of the destination is all that is needed of it when an object is deleted.
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
    /// The traits of the object's entity. They are looked up once for each object, because reading the class counts a
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
