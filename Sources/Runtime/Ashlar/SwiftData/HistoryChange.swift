/// The change of one object in a transaction, with the object's class. SwiftData's counterpart is `HistoryChange`.
///
///     for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
///         for change in transaction.changes { print(change.changedPersistentIdentifier) }
///     }
public enum HistoryChange: Sendable {
    /// The object was inserted.
    case insert(any HistoryInsert)
    /// The object was changed.
    case update(any HistoryUpdate)
    /// The object was deleted.
    case delete(any HistoryDelete)

    /// The identifier of the object.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }

    /// Creates the change; nil if the model's entity has no class of its own.
    init?(_ change: PersistentHistoryChange, _ model: ModelDescription) {
        let entity = model.entity(change.changedObjectID.number.entity)
        guard let type = entity.modelClass as? any PersistentModel.Type else { return nil }
        self = Self.make(type, change)
    }

    private static func make<Model: PersistentModel>(
        _ type: Model.Type, _ change: PersistentHistoryChange
    ) -> HistoryChange {
        switch change.changeType {
        case .insert: .insert(DefaultHistoryInsert<Model>(change))
        case .update: .update(DefaultHistoryUpdate<Model>(change))
        case .delete: .delete(DefaultHistoryDelete<Model>(change))
        }
    }
}

/// The common properties of insertions, updates and deletions.
public protocol HistoryChangeOfModel: Sendable, Hashable {
    /// The object's class.
    associatedtype Model: PersistentModel

    /// The number of the change in its store.
    var changeIdentifier: Int64 { get }
    /// The number of the transaction.
    var transactionIdentifier: Int64 { get }
    /// The identifier of the object, which may have been deleted since.
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The insertion of an object. SwiftData has a protocol of the same name.
public protocol HistoryInsert<Model>: HistoryChangeOfModel {}

/// The change of an object. SwiftData has a protocol of the same name.
public protocol HistoryUpdate<Model>: HistoryChangeOfModel {
    /// The names of the changed properties in the model.
    var updatedProperties: Set<String> { get }
}

/// The deletion of an object. SwiftData has a protocol of the same name.
public protocol HistoryDelete<Model>: HistoryChangeOfModel {
    /// The preserved values of the object.
    var tombstone: HistoryTombstone<Model> { get }
}

extension HistoryUpdate {
    /// The key paths of the changed properties, without those that the model no longer has.
    public var updatedAttributes: [PartialKeyPath<Model>] {
        updatedProperties.sorted().compactMap { Model._ashlarKeyPaths.keyPath(of: $0, in: Model.self) }
    }
}

/// The insertion of an object in a store's history. SwiftData has a type of the same name.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier

    init(_ change: PersistentHistoryChange) {
        changeIdentifier = change.changeID
        transactionIdentifier = change.transactionNumber
        changedPersistentIdentifier = change.changedObjectID
    }
}

/// The change of an object in a store's history. SwiftData has a type of the same name.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let updatedProperties: Set<String>

    init(_ change: PersistentHistoryChange) {
        changeIdentifier = change.changeID
        transactionIdentifier = change.transactionNumber
        changedPersistentIdentifier = change.changedObjectID
        updatedProperties = change.updatedProperties
    }
}

/// The deletion of an object in a store's history. SwiftData has a type of the same name.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>

    init(_ change: PersistentHistoryChange) {
        changeIdentifier = change.changeID
        transactionIdentifier = change.transactionNumber
        changedPersistentIdentifier = change.changedObjectID
        tombstone = HistoryTombstone(values: change.tombstone ?? PersistentHistoryTombstone())
    }
}

/// The preserved values of a deleted object, by key paths: `tombstone[\.title]`.
///
/// SwiftData's counterpart is `HistoryTombstone`.
public struct HistoryTombstone<Model: PersistentModel>: Sendable, Hashable {
    /// The preserved values by the names of the attributes.
    public let values: PersistentHistoryTombstone

    /// The value of an attribute; nil if it was nil or is not kept.
    public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value? {
        Model._ashlarKeyPaths.path(of: keyPath).flatMap { values.value(of: $0, as: Value.self) }
    }

    /// The value of an optional attribute; nil if it was nil or is not kept.
    public subscript<Value>(keyPath: KeyPath<Model, Value?>) -> Value? {
        Model._ashlarKeyPaths.path(of: keyPath).flatMap { values.value(of: $0, as: Value.self) }
    }
}

extension HistoryTombstone: Sequence {
    /// Returns an iterator over the names and values of the preserved attributes.
    public func makeIterator() -> IndexingIterator<[(property: String, value: any Sendable)]> {
        values.properties.compactMap { name in values[name].map { (name, $0) } }.makeIterator()
    }
}
