/// What a transaction did to one object, with the object's class. SwiftData's `HistoryChange`.
public enum HistoryChange: Sendable {
    /// It was inserted.
    case insert(any HistoryInsert)
    /// It was changed.
    case update(any HistoryUpdate)
    /// It was deleted.
    case delete(any HistoryDelete)

    /// The object.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }

    /// The change; nil where the model's entity has no class of its own.
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

/// What insertions, updates and deletions have in common.
public protocol HistoryChangeOfModel: Sendable, Hashable {
    /// The object's class.
    associatedtype Model: PersistentModel

    /// The number of the change in its store.
    var changeIdentifier: Int64 { get }
    /// The number of the transaction.
    var transactionIdentifier: Int64 { get }
    /// The object, which may have been deleted since.
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An object that was inserted. SwiftData's protocol of the same name.
public protocol HistoryInsert<Model>: HistoryChangeOfModel {}

/// An object that was changed. SwiftData's protocol of the same name.
public protocol HistoryUpdate<Model>: HistoryChangeOfModel {
    /// The properties that were changed, by their names in the model.
    var updatedProperties: Set<String> { get }
}

/// An object that was deleted. SwiftData's protocol of the same name.
public protocol HistoryDelete<Model>: HistoryChangeOfModel {
    /// What is kept of it.
    var tombstone: HistoryTombstone<Model> { get }
}

extension HistoryUpdate {
    /// The key paths of the properties that were changed. Those that the model lost since are left out.
    public var updatedAttributes: [PartialKeyPath<Model>] {
        updatedProperties.sorted().compactMap { Model._ashlarKeyPaths.keyPath(of: $0, in: Model.self) }
    }
}

/// An object that was inserted, as a store's history tells of it. SwiftData's type of the same name.
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

/// An object that was changed, as a store's history tells of it. SwiftData's type of the same name.
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

/// An object that was deleted, as a store's history tells of it. SwiftData's type of the same name.
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

/// What is kept of a deleted object, by key paths: `tombstone[\.title]`. SwiftData's `HistoryTombstone`.
public struct HistoryTombstone<Model: PersistentModel>: Sendable, Hashable {
    /// The same by the names of attributes.
    public let values: PersistentHistoryTombstone

    /// What an attribute held; nil where it was nil, or is not kept.
    public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value? {
        Model._ashlarKeyPaths.path(of: keyPath).flatMap { values.value(of: $0, as: Value.self) }
    }

    /// What an optional attribute held; nil where it was nil, or is not kept.
    public subscript<Value>(keyPath: KeyPath<Model, Value?>) -> Value? {
        Model._ashlarKeyPaths.path(of: keyPath).flatMap { values.value(of: $0, as: Value.self) }
    }
}

extension HistoryTombstone: Sequence {
    /// The names and values of what is kept.
    public func makeIterator() -> IndexingIterator<[(property: String, value: any Sendable)]> {
        values.properties.compactMap { name in values[name].map { (name, $0) } }.makeIterator()
    }
}
