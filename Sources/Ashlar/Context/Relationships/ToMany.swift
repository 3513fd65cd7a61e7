/// The objects of a to-many relationship: a collection that belongs to its owner.
///
/// Reading it loads the members on first use; adding and removing loads nothing. A copy still belongs to the owner:
/// `author.posts.append(post)` changes the author, the post and nothing else. An unordered relationship has no
/// duplicates and no order to rely on; an ordered one keeps the order that it is given.
///
/// Core Data's `NSSet` and `NSOrderedSet` with their accessors, SwiftData's array of models.
public struct ToMany<Element: PersistentModel> {
    // Not an enumeration of the two: to look at a case of one counts its references.
    /// Whose relationship it is; nil of a collection that belongs to no object.
    private let owner: ManagedObject?
    private let relationship: RelationshipNumber
    /// The objects of a collection that belongs to no object.
    @usableFromInline private(set) var given: [Element]?

    /// The relationship of an object, by its number; generated accessors call it.
    @_spi(Generated) public init(_ownerForAshlar owner: ManagedObject, _ relationship: RelationshipNumber) {
        (self.owner, self.relationship, given) = (owner, relationship, nil)
    }

    /// A collection that belongs to no object, to be assigned to a relationship.
    public init(_ objects: some Sequence<Element>) {
        (owner, relationship, given) = (nil, 0, Array(objects))
    }

    /// The objects as an array.
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

    /// Adds an object; one that is there already stays where it is. The other side of the relationship is set too.
    public mutating func append(_ object: Element) {
        insert(object)
    }

    /// Adds an object, wherever the order puts it. This loads nothing.
    public mutating func insert(_ object: Element) {
        if let owner {
            owner.addMember(object, relationship)
        } else if given?.contains(where: { $0 === object }) == false {
            given?.append(object)
        }
    }

    /// Adds objects.
    public mutating func append(contentsOf objects: some Sequence<Element>) {
        for object in objects { insert(object) }
    }

    /// Adds an object at a position of an ordered relationship, at its end where the position is behind that; one that is a
    /// member already moves there.
    ///
    /// Complexity: that of loading the members on first use, then O(log *n*).
    public mutating func insert(_ object: Element, at position: Int) {
        if let owner { return owner.insertMember(object, relationship, at: position) }
        given?.removeAll { $0 === object }
        let end = count
        given?.insert(object, at: Swift.min(position, end))
    }

    /// Takes an object out of the relationship; the object itself stays. This loads nothing.
    public mutating func remove(_ object: Element) {
        if let owner { return owner.removeMember(object, relationship) }
        given?.removeAll { $0 === object }
    }

    /// Takes out the object at a position, and returns it.
    @discardableResult
    public mutating func remove(at position: Int) -> Element {
        let object = self[position]
        remove(object)
        return object
    }

    /// Takes out the objects for which a condition holds.
    public mutating func removeAll(where condition: (Element) throws -> Bool) rethrows {
        for object in try array.filter(condition) { remove(object) }
    }

    /// Takes out all objects.
    public mutating func removeAll() {
        replace(with: [])
    }

    /// Moves an object of an ordered relationship to a position, which counts without the object itself.
    ///
    /// Complexity: as that of ``insert(_:at:)``.
    public mutating func move(_ object: Element, to position: Int) {
        insert(object, at: position)
    }

    /// Whether the object is a member.
    ///
    /// Complexity: constant where the object's own reference tells, or once the members were loaded; else that of a statement
    /// for this pair. No members are loaded.
    public func contains(_ object: Element) -> Bool {
        if let owner { return owner.hasMember(object, relationship) }
        return given?.contains { $0 === object } == true
    }

    /// The position of an object; nil where it is no member.
    ///
    /// Complexity: that of loading the members on first use, then O(log *n*).
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

/// What gives another collection that can be assigned: `tasks = tasks.filter { !$0.isDone }`.
extension ToMany {
    /// The objects for which a condition holds, as a collection that belongs to no object.
    @_disfavoredOverload
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> ToMany {
        ToMany(try array.filter(isIncluded))
    }

    /// The objects and further ones, as a collection that belongs to no object.
    @_disfavoredOverload
    public static func + (left: ToMany, right: some Sequence<Element>) -> ToMany { ToMany(left.array + right) }

    /// Adds objects.
    public static func += (left: inout ToMany, right: some Sequence<Element>) { left.append(contentsOf: right) }
}

extension ToMany: RandomAccessCollection {
    public var startIndex: Int { 0 }
    /// The position after the last member.
    ///
    /// Complexity: that of loading the members on first use, then O(1). The store is not asked for the count alone: whoever reads
    /// the members next relies on it, and another program may have written between. `context.fetchCount` counts without
    /// loading.
    public var endIndex: Int {
        owner?.memberCount(relationship) ?? given?.count ?? 0
    }

    /// Whether there are no members.
    ///
    /// Complexity: O(1) once the members were loaded. Of one object whose members were not, the store is asked at first, and none
    /// are loaded; from the second question on, or for a second object of the same fetch, they are loaded.
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
