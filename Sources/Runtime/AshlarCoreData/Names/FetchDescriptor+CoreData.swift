public import Ashlar
public import SystemFoundation

// Core Data's names of declarations with other names here. They do nothing but let the compiler suggest the name to
// use, or the replacement.

extension FetchDescriptor {
    @available(*, unavailable, renamed: "sortBy")
    public var sortDescriptors: [SortDescriptor<Model>]? {
        get { preconditionFailure() }
        set {}
    }

    @available(*, unavailable, message: "Give the size to the fetch: context.fetch(descriptor, batchSize: 100).")
    public var fetchBatchSize: Int {
        get { preconditionFailure() }
        set {}
    }

    @available(*, unavailable, renamed: "includePendingChanges")
    public var includesPendingChanges: Bool {
        get { preconditionFailure() }
        set {}
    }

    @available(*, unavailable, message: "There are no faults: objects come with their values.")
    public var returnsObjectsAsFaults: Bool {
        get { preconditionFailure() }
        set {}
    }

    @available(*, unavailable, message: "Use fetchIdentifiers(_:) where the values are not needed.")
    public var includesPropertyValues: Bool {
        get { preconditionFailure() }
        set {}
    }

    @available(*, unavailable, message: "Select the values: Trip.select { $0.title }.distinct().")
    public var returnsDistinctResults: Bool {
        get { preconditionFailure() }
        set {}
    }

    @available(
        *, unavailable,
        message:
            "Use group(_:) and select(_:), or groupBy: of fetchDictionaries(_:properties:groupBy:having:distinct:)."
    )
    public var propertiesToGroupBy: [String]? {
        get { preconditionFailure() }
        set {}
    }

    @available(
        *, unavailable,
        message:
            "Use having(_:) of a grouped fetch, or having: of fetchDictionaries(_:properties:groupBy:having:distinct:)."
    )
    public var havingPredicate: Condition? {
        get { preconditionFailure() }
        set {}
    }

    @available(
        *, unavailable,
        message:
            "Each kind of result has its own call: fetch(_:), fetchIdentifiers(_:), fetchCount(_:), fetchDictionaries(_:properties:groupBy:having:distinct:)."
    )
    public var resultType: FetchResultType {
        get { preconditionFailure() }
        set {}
    }

    @available(*, unavailable, message: "A fetch brings objects without changes up to date, always.")
    public var shouldRefreshRefetchedObjects: Bool {
        get { preconditionFailure() }
        set {}
    }
}

/// The type of Core Data's `resultType`, which exists only for a helpful compiler message.
@available(*, unavailable, message: "Each kind of result has its own call.")
public enum FetchResultType: Sendable {}
