public import SystemFoundation

/// What a screen asks a ``FetchedResultsController`` for, so that a test can put something else in its place.
///
///     final class PostList {
///         let results: any FetchedResultsControlling<Post, Never>
///         init(_ results: any FetchedResultsControlling<Post, Never>) { self.results = results }
///     }
///
/// Core Data has no such protocol; its controller is replaced by a subclass.
public protocol FetchedResultsControlling<Model, SectionName>: AnyObject {
    /// The class of the objects.
    associatedtype Model: PersistentModel
    /// What sections are called; `Never` where there are none.
    associatedtype SectionName: Hashable

    /// What is fetched.
    var fetchDescriptor: FetchDescriptor<Model> { get set }
    /// Who is told of changes.
    var delegate: (any FetchedResultsControllerDelegate<Model, SectionName>)? { get set }
    /// The number of objects.
    var count: Int { get }
    /// All objects in their order.
    var fetchedObjects: [Model] { get }
    /// The sections in their order.
    var sections: [FetchedResultsSection<Model, SectionName>] { get }
    /// The results as identifiers.
    var snapshot: FetchedResultsSnapshot<SectionName> { get }

    /// Fetches the results anew, without telling the delegate, and keeps them up to date from now on.
    ///
    /// - Throws: As ``FetchedResultsController/performFetch()``.
    func performFetch() throws

    /// The object at a section and item; nil where there is none.
    func object(at indexPath: IndexPath) -> Model?

    /// Section and item of an object; nil where it is not among the results.
    func indexPath(for object: Model) -> IndexPath?
}

extension FetchedResultsController: FetchedResultsControlling {}

extension FetchedResultsSection {
    /// Makes a section of objects, for what stands in a controller's place.
    public init(name: SectionName?, objects: [Model]) {
        self.init(name: name, pieces: [ContiguousArray(objects)], count: objects.count)
    }
}
