/// The texts of an object that a full-text index covers, for `#Predicate`.
///
/// A generated class has a property with the name of each full-text index. Foundation's macro does not support
/// `matches`, so a predicate uses `contains` with a query:
///
///     let query = FullTextQuery.prefix(typed)
///     let predicate = #Predicate<Post> { $0.search.contains(query) }
///
/// It is a sequence only because the macro requires one, and has no elements. Elsewhere, use ``FullTextColumn``.
public struct FullText: Sequence {
    public typealias Element = FullTextQuery

    private let object: ManagedObject
    private let name: String

    /// Creates the value of a property, for generated code.
    @_spi(Generated) public init(_ object: ManagedObject, _ name: String) {
        self.object = object
        self.name = name
    }

    /// Returns whether a query matches the current texts of the object, including unsaved changes.
    ///
    ///     let isHit = post.search.contains(FullTextQuery("great wall"))
    ///
    /// - Parameter query: The query.
    public func contains(_ query: FullTextQuery) -> Bool {
        guard let index = object.entity.fullTextIndexes.first(where: { $0.name == name }) else { return false }
        let texts = index.columns.map { object.sqliteValue($0) }
        // SQLite refuses only a query that was created for another index, which matches nothing here.
        return (try? FullTextMatcher().matches(index, texts, query)) ?? false
    }

    public func _customContainsEquatableElement(_ element: FullTextQuery) -> Bool? { contains(element) }

    public func makeIterator() -> EmptyCollection<FullTextQuery>.Iterator { EmptyCollection().makeIterator() }
}
