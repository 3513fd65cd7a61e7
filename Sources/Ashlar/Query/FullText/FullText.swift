/// The texts of an object that a full-text index is over, for `#Predicate`.
///
/// A generated class has a property with the name of each index. Foundation's macro knows no `matches`, so that a
/// predicate asks whether the texts contain what a query finds:
///
///     let query = FullTextQuery.prefix(typed)
///     #Predicate<Post> { $0.search.contains(query) }
///
/// As a sequence it has no elements; it is one for the sake of the macro.
public struct FullText: Sequence {
    public typealias Element = FullTextQuery

    private let object: ManagedObject
    private let name: String

    /// Makes the value of a property; generated code does.
    @_spi(Generated) public init(_ object: ManagedObject, _ name: String) {
        self.object = object
        self.name = name
    }

    /// Whether a query finds the object as it is now, saved or not.
    public func contains(_ query: FullTextQuery) -> Bool {
        guard let index = object.entity.fullTextIndexes.first(where: { $0.name == name }) else { return false }
        let texts = index.columns.map { object.sqliteValue($0) }
        // SQLite can only refuse a query that was made for another index, which finds nothing here.
        return (try? FullTextMatcher().matches(index, texts, query)) ?? false
    }

    public func _customContainsEquatableElement(_ element: FullTextQuery) -> Bool? { contains(element) }

    public func makeIterator() -> EmptyCollection<FullTextQuery>.Iterator { EmptyCollection().makeIterator() }
}
