/// A collection of the objects of a to-many relationship.
///
/// It loads its members when they are first read. Adding and removing objects loads nothing. A copy still belongs to
/// its owner: `author.posts.append(post)` changes the author and the post. An unordered relationship has neither
/// duplicates nor a reliable order. An ordered one keeps its order.
///
///     author.posts.append(post)
///     for post in author.posts where post.isDraft { print(post.title) }
///
/// The counterparts are Core Data's `NSSet` and `NSOrderedSet` with their accessors, and SwiftData's arrays of models.
public struct ToMany<Element: PersistentModel> {
    // Two properties, not an enumeration: examining an enumeration's case counts references.
    /// The owner of the relationship; nil for a collection that belongs to no object.
    private let owner: ManagedObject?
    private let relationship: RelationshipNumber
    /// The objects of a collection that belongs to no object.
    @usableFromInline private(set) var given: [Element]?

    /// The relationship of an object, by its number; generated accessors call it.
    @_spi(Generated) public init(_ownerForAshlar owner: ManagedObject, _ relationship: RelationshipNumber) {
        (self.owner, self.relationship, given) = (owner, relationship, nil)
    }

    /// Creates a collection that belongs to no object, to be assigned to a relationship.
    ///
    ///     author.posts = ToMany([post])
    ///
    /// - Parameter objects: The members.
    public init(_ objects: some Sequence<Element>) {
        (owner, relationship, given) = (nil, 0, Array(objects))
    }

    /// The members as an array.
    @inlinable public var array: [Element] {
        given ?? Element.collect(visitMembers)
    }

    @usableFromInline
    func member(at position: Int) -> ManagedObject? {
        owner?.member(relationship, at: position)
    }

    @usableFromInline
    func visitMembers(_ reserve: (Int) -> Void, _ visit: (ManagedObject) -> Void) {
        owner?.visitMembers(relationship, reserve, visit)
    }

    /// Adds an object to the relationship, and sets the other side of the relationship.
    ///
    /// An object that is already a member stays at its place. Nothing is loaded.
    ///
    ///     author.posts.append(post)
    ///
    /// - Parameter object: The object to add.
    public mutating func append(_ object: Element) {
        insert(object)
    }

    /// Adds an object to the relationship, at a place that the order decides. Nothing is loaded.
    ///
    ///     author.posts.insert(post)
    ///
    /// - Parameter object: The object to add.
    public mutating func insert(_ object: Element) {
        if let owner {
            owner.addMember(object, relationship)
        } else if given?.contains(where: { $0 === object }) == false {
            given?.append(object)
        }
    }

    /// Adds several objects to the relationship.
    ///
    ///     author.posts.append(contentsOf: [post])
    ///
    /// - Parameter objects: The objects to add.
    public mutating func append(contentsOf objects: some Sequence<Element>) {
        for object in objects { insert(object) }
    }

    /// Adds an object at a position of an ordered relationship; a member moves there.
    ///
    /// A position after the last member means the end.
    ///
    /// - Parameters:
    ///   - object: The object to add or move.
    ///   - position: The new position.
    /// - Complexity: Loading the members on first use, then O(log *n*).
    public mutating func insert(_ object: Element, at position: Int) {
        if let owner { return owner.insertMember(object, relationship, at: position) }
        given?.removeAll { $0 === object }
        let end = count
        given?.insert(object, at: Swift.min(position, end))
    }

    /// Removes an object from the relationship without deleting it. Nothing is loaded.
    ///
    ///     author.posts.remove(post)
    ///
    /// - Parameter object: The object to remove.
    public mutating func remove(_ object: Element) {
        if let owner { return owner.removeMember(object, relationship) }
        given?.removeAll { $0 === object }
    }

    /// Removes the object at a position from the relationship without deleting it.
    ///
    /// - Parameter position: The position of the object.
    /// - Returns: The removed object.
    @discardableResult
    public mutating func remove(at position: Int) -> Element {
        let object = self[position]
        remove(object)
        return object
    }

    /// Removes the objects for which a condition holds, without deleting them.
    ///
    ///     author.posts.removeAll { $0.isDraft }
    ///
    /// - Parameter condition: The condition on a member.
    public mutating func removeAll(where condition: (Element) throws -> Bool) rethrows {
        for object in try array.filter(condition) { remove(object) }
    }

    /// Removes all objects from the relationship without deleting them.
    ///
    ///     author.posts.removeAll()
    public mutating func removeAll() {
        replace(with: [])
    }

    /// Moves an object of an ordered relationship to a position, which is counted without the object itself.
    ///
    /// - Parameters:
    ///   - object: The object to move.
    ///   - position: The new position.
    /// - Complexity: Loading the members on first use, then O(log *n*).
    public mutating func move(_ object: Element, to position: Int) {
        insert(object, at: position)
    }

    /// Returns whether the object is a member.
    ///
    ///     if author.posts.contains(post) { print(post.title) }
    ///
    /// - Parameter object: The object to look for.
    /// - Complexity: O(1) if the object itself holds the reference or the members are loaded. Otherwise one statement
    ///   that loads no members, the first time and for a single object. The second time, or for a second object of the
    ///   same fetch, the members are loaded.
    public func contains(_ object: Element) -> Bool {
        if let owner { return owner.hasMember(object, relationship) }
        return given?.contains { $0 === object } == true
    }

    /// Returns the position of an object, or nil if it is not a member.
    ///
    /// - Parameter object: The object to look for.
    /// - Complexity: Loading the members on first use, then O(log *n*).
    public func firstIndex(of object: Element) -> Int? {
        if let owner { return owner.memberPosition(object, relationship) }
        return given?.firstIndex { $0 === object }
    }

    private mutating func replace(with objects: [Element]) {
        if let owner { owner.setMembers(objects, relationship) } else { given = objects }
    }

    /// Makes this collection the value of an object's relationship; generated accessors call it.
    @_spi(Generated) public func _ashlarAssign(to owner: ManagedObject, _ relationship: RelationshipNumber) {
        if self.owner === owner, self.relationship == relationship { return }
        owner.setMembers(array, relationship)
    }
}

/// Operations that return another collection to assign: `tasks = tasks.filter { !$0.isDone }`.
extension ToMany {
    /// Returns the objects for which a condition holds, as a collection that belongs to no object.
    ///
    ///     let drafts = author.posts.filter { $0.isDraft }
    ///
    /// - Parameter isIncluded: The condition on a member.
    /// - Complexity: Loading the members on first use, then O(*n*).
    @_disfavoredOverload
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> ToMany {
        ToMany(try array.filter(isIncluded))
    }

    /// Returns the members and further objects, as a collection that belongs to no object.
    @_disfavoredOverload
    public static func + (left: ToMany, right: some Sequence<Element>) -> ToMany { ToMany(left.array + right) }

    /// Adds several objects to the relationship.
    public static func += (left: inout ToMany, right: some Sequence<Element>) { left.append(contentsOf: right) }
}

extension ToMany: RandomAccessCollection {
    public var startIndex: Int { 0 }
    /// The position after the last member.
    ///
    /// To count without loading, use `context.fetchCount`. The store is not asked for the count alone, because another
    /// program may write before the members are read.
    ///
    /// - Complexity: Loading the members on first use, then O(1).
    public var endIndex: Int {
        owner?.memberCount(relationship) ?? given?.count ?? 0
    }

    /// Whether the relationship has no members.
    ///
    /// - Complexity: O(1) if the members are loaded. Otherwise one statement that loads no members, the first time and
    ///   for a single object. The second time, or for a second object of the same fetch, the members are loaded.
    public var isEmpty: Bool {
        if let owner { return !owner.hasMembers(relationship) }
        return given?.isEmpty != false
    }

    @inlinable public subscript(position: Int) -> Element {
        if let given { return given[position] }
        return member(at: position) as? Element ?? array[position]
    }

    @inlinable public func makeIterator() -> IndexingIterator<[Element]> { array.makeIterator() }
}

extension ToMany: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Element...) {
        self.init(elements)
    }
}

extension ToMany: CustomStringConvertible {
    public var description: String { array.description }
}
