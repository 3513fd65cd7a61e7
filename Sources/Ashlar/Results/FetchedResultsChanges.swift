public import SystemFoundation

/// What became of the results of a ``FetchedResultsController``, all of it at once.
///
/// Old index paths are those before, new ones those after all changes. To bring a list of one's own up to date, delete what
/// is deleted and what moves by the old index paths, then insert what is inserted and what moves by the new ones; the
/// sections likewise.
public struct FetchedResultsChanges<Model: PersistentModel, SectionName: Hashable> {
    /// What became of one object. Core Data's `NSFetchedResultsChangeType`.
    public enum Kind: Int, Sendable, Hashable {
        /// It came to the results.
        case insert = 1
        /// It left the results.
        case delete = 2
        /// It is in another place among the others, and may have other values.
        case move = 3
        /// It has other values, and stayed.
        case update = 4
    }

    /// What became of one object.
    public struct ObjectChange {
        /// What became of it.
        public var kind: Kind
        /// The object.
        public var object: Model
        /// Where the object was: section and item; nil for one that was inserted.
        public var indexPath: IndexPath?
        /// Where the object is: section and item; nil for one that was deleted.
        public var newIndexPath: IndexPath?
    }

    /// A section that came or went.
    public struct SectionChange {
        /// ``Kind/insert`` or ``Kind/delete``.
        public var kind: Kind
        /// The section's name; nil where the results have no sections.
        public var name: SectionName?
        /// The old position of one that was deleted, the new one of one that was inserted.
        public var index: Int
    }

    /// The sections that went, the last first, and then those that came.
    public let sections: [SectionChange]
    /// Objects that left, the last first; then those that came, those that moved, and those with other values.
    public let objects: [ObjectChange]

    init(_ difference: ResultDifference, oldSections: [SectionKey?], newSections: [SectionKey?]) {
        sections =
            difference.deletedSections.map {
                SectionChange(kind: .delete, name: oldSections[$0]?.base as? SectionName, index: $0)
            }
            + difference.insertedSections.map {
                SectionChange(kind: .insert, name: newSections[$0]?.base as? SectionName, index: $0)
            }
        var objects: [ObjectChange] = []
        func add(_ kind: Kind, _ object: ManagedObject, _ from: ResultPlace?, _ to: ResultPlace?) {
            guard let model = object as? Model else { return }
            objects.append(
                ObjectChange(kind: kind, object: model, indexPath: from?.indexPath, newIndexPath: to?.indexPath))
        }
        for change in difference.deleted { add(.delete, change.object, change.from, nil) }
        for change in difference.inserted { add(.insert, change.object, nil, change.to) }
        for change in difference.moved { add(.move, change.object, change.from, change.to) }
        for change in difference.updated { add(.update, change.object, change.at, change.to) }
        self.objects = objects
    }
}

/// The results of a ``FetchedResultsController`` at one time, by identifiers, so that it may cross to any task.
///
/// Core Data's snapshot of a diffable data source. An object that was never saved changes its identifier when it is.
public struct FetchedResultsSnapshot<SectionName: Hashable>: Hashable {
    /// A section, with its objects in their order.
    public struct Section: Hashable {
        /// Nil where the results have no sections.
        public var name: SectionName?
        /// Its objects, in their order.
        public var identifiers: [PersistentIdentifier]
    }

    /// The sections, in their order; one without a name where the results have none.
    public var sections: [Section]

    /// Makes a snapshot, for what stands in a controller's place in a test.
    public init(sections: [Section]) { self.sections = sections }

    /// The identifiers of all objects, in their order.
    public var identifiers: [PersistentIdentifier] { sections.flatMap(\.identifiers) }
}

extension FetchedResultsSnapshot.Section: Sendable where SectionName: Sendable {}
extension FetchedResultsSnapshot: Sendable where SectionName: Sendable {}

extension ResultPlace {
    var indexPath: IndexPath { IndexPath(indexes: [section, item]) }
}
