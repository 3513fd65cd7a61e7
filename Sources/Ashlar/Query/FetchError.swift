/// A fetch that cannot be carried out as it is written.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum FetchError: Error, Sendable, Hashable {
    /// A value is neither grouped by nor an aggregate, so that the rows of a group differ in it.
    case notGrouped(entity: String, value: String)
    /// A distinct result is ordered by something that is not selected.
    case orderNotSelected(entity: String)
    /// An entity has no attribute or to-one relationship of a name.
    case unknownProperty(entity: String, property: String)
    /// Two values of a dictionary have the same name.
    case duplicateName(entity: String, name: String)
    /// A number of objects that a batch is to have is not positive.
    case invalidBatchSize(Int)
    /// The context's objects were changed while it enumerated others.
    case changedWhileEnumerating(entity: String)
    /// Objects of one section are not beside each other in the order of the fetch.
    case sectionsOutOfOrder(entity: String, name: String)
    /// A fetch is to use an index that its entity has not.
    case unknownIndex(entity: String, index: String)
    /// A fetch is to use an index that cannot find its objects.
    case unusableIndex(entity: String, index: String)
}

extension FetchError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notGrouped(let entity, let value):
            "\(value) differs among the rows of \(entity) that a group has. Group by it too, or select an aggregate of it."
        case .orderNotSelected(let entity):
            "Distinct values of \(entity) are ordered by one that is not selected. Select it too, or group by it."
        case .unknownProperty(let entity, let property):
            "\(entity) has no attribute and no to-one relationship \(property)."
        case .duplicateName(let entity, let name):
            "Two values of \(entity) have the name \(name) in the dictionaries to fetch. Give one of them another."
        case .invalidBatchSize(let size):
            "A batch cannot have \(size) objects; the least is 1."
        case .sectionsOutOfOrder(let entity, let name):
            "Objects of \(entity) in the section \(name) are not beside each other. Order the fetch first by what the "
                + "sections are named for."
        case .changedWhileEnumerating(let entity):
            "Objects changed while those of \(entity) were enumerated, so that all changed ones would stay in memory. "
                + "Save within the block, or pass allowEscapingMutations: true."
        case .unknownIndex(let entity, let index):
            "\(entity) has no fetch index \(index). Name one that the model declares for it or an entity above it."
        case .unusableIndex(let entity, let index):
            "The index \(index) cannot find what is asked for of \(entity): an R-tree needs a condition that bounds its "
                + "attributes, and a partial index one that implies its own. Bound them, or leave the index to the planner."
        }
    }
}
