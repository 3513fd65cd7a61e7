public import SystemFoundation

/// All changes of the results of a ``FetchedResultsController`` since the last report.
///
/// Old index paths are positions before the changes, new ones positions after all of them. To update a list of your
/// own, first delete deleted and moved objects by their old index paths. Then insert inserted and moved ones by their
/// new index paths. Do the same with sections.
///
///     func describe(_ changes: FetchedResultsChanges<Post, Never>) {
///         for change in changes.objects where change.kind == .insert { print(change.object.title) }
///     }
public struct FetchedResultsChanges<Model: PersistentModel, SectionName: Hashable> {
    /// The kind of a change. Core Data's counterpart is `NSFetchedResultsChangeType`.
    public enum Kind: Int, Sendable, Hashable {
        /// An object or a section was added to the results.
        case insert = 1
        /// An object or a section was removed from the results.
        case delete = 2
        /// An object has another place in the results, and possibly other values.
        case move = 3
        /// An object has other values and the same place.
        case update = 4
    }

    /// A change of one object.
    public struct ObjectChange {
        /// The kind of the change.
        public var kind: Kind
        /// The changed object.
        public var object: Model
        /// The section and item of the object before the changes; nil for an inserted object.
        public var indexPath: IndexPath?
        /// The section and item of the object after the changes; nil for a deleted object.
        public var newIndexPath: IndexPath?
    }

    /// The insertion or deletion of a section.
    public struct SectionChange {
        /// The kind of the change: ``Kind/insert`` or ``Kind/delete``.
        public var kind: Kind
        /// The section's name; nil if the results have no sections.
        public var name: SectionName?
        /// The section's old position if it was deleted, or its new position if it was inserted.
        public var index: Int
    }

    /// The changed sections: the deleted ones, the last first, and then the inserted ones.
    public let sections: [SectionChange]
    /// The changed objects in this order: deleted (the last first), inserted, moved, updated.
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

/// The results of a ``FetchedResultsController`` at one time as identifiers, which can be sent to any task.
///
/// Compare snapshots to update a list. An object that was never saved gets another identifier with its first save.
///
///     let controller = FetchedResultsController(Post.order { $0.timestamp.descending }, in: context)
///     try controller.performFetch()
///     print(controller.snapshot.identifiers)
///
/// Core Data's counterpart is the snapshot of a diffable data source.
public struct FetchedResultsSnapshot<SectionName: Hashable>: Hashable {
    /// A section with the identifiers of its objects.
    public struct Section: Hashable {
        /// The section's name; nil if the results have no sections.
        public var name: SectionName?
        /// The identifiers of the section's objects in their order.
        public var identifiers: [PersistentIdentifier]
    }

    /// The sections in their order; one without a name if the results have no sections.
    public var sections: [Section]

    /// Creates a snapshot, for a replacement of a controller in tests.
    ///
    ///     let snapshot = FetchedResultsSnapshot<Never>(sections: [])
    ///
    /// - Parameter sections: The sections in their order.
    public init(sections: [Section]) { self.sections = sections }

    /// The identifiers of all objects in their order.
    public var identifiers: [PersistentIdentifier] { sections.flatMap(\.identifiers) }
}

extension FetchedResultsSnapshot.Section: Sendable where SectionName: Sendable {}
extension FetchedResultsSnapshot: Sendable where SectionName: Sendable {}

extension ResultPlace {
    var indexPath: IndexPath { IndexPath(indexes: [section, item]) }
}
