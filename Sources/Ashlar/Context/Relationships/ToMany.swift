/// The objects of a to-many relationship: a collection that belongs to its owner.
///
/// Reading it loads the members on first use; adding and removing loads nothing. A copy still belongs to the owner:
/// `author.posts.append(post)` changes the author, the post and nothing else. An unordered relationship has no
/// duplicates and no order to rely on; an ordered one keeps the order that it is given.
///
/// Core Data's `NSSet` and `NSOrderedSet` with their accessors, SwiftData's array of models.
public struct ToMany<Element: PersistentModel> {
    private enum Storage {
        case relationship(ManagedObject, RelationshipNumber)
        case array([Element])
    }

    private var storage: Storage

    /// The relationship of an object, by its number; generated accessors call it.
    @_spi(Generated) public init(_ownerForAshlar owner: ManagedObject, _ relationship: RelationshipNumber) {
        storage = .relationship(owner, relationship)
    }

    /// A collection that belongs to no object, to be assigned to a relationship.
    public init(_ objects: some Sequence<Element>) {
        storage = .array(Array(objects))
    }

    /// The objects as an array.
    public var array: [Element] {
        switch storage {
        case .array(let objects): objects
        case .relationship(let owner, let number): owner.memberObjects(number).compactMap { $0 as? Element }
        }
    }

    /// Adds an object; one that is there already stays where it is. The other side of the relationship is set too.
    public mutating func append(_ object: Element) {
        insert(object)
    }

    /// Adds an object, wherever the order puts it. This loads nothing.
    public mutating func insert(_ object: Element) {
        switch storage {
        case .array(let objects):
            if !objects.contains(where: { $0 === object }) { storage = .array(objects + [object]) }
        case .relationship(let owner, let number): owner.addMember(object, number)
        }
    }

    /// Adds objects.
    public mutating func append(contentsOf objects: some Sequence<Element>) {
        for object in objects { insert(object) }
    }

    /// Adds an object at a position of an ordered relationship.
    public mutating func insert(_ object: Element, at position: Int) {
        var objects = array
        objects.removeAll { $0 === object }
        objects.insert(object, at: Swift.min(position, objects.count))
        replace(with: objects)
    }

    /// Takes an object out of the relationship; the object itself stays. This loads nothing.
    public mutating func remove(_ object: Element) {
        switch storage {
        case .array(let objects): storage = .array(objects.filter { $0 !== object })
        case .relationship(let owner, let number): owner.removeMember(object, number)
        }
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

    /// Moves an object of an ordered relationship to a position.
    public mutating func move(_ object: Element, to position: Int) {
        insert(object, at: position)
    }

    /// Whether the object is a member. Complexity: that of loading the members on first use, then O(n).
    public func contains(_ object: Element) -> Bool {
        array.contains { $0 === object }
    }

    private mutating func replace(with objects: [Element]) {
        switch storage {
        case .array: storage = .array(objects)
        case .relationship(let owner, let number): owner.setMembers(objects, number)
        }
    }

    /// Makes this collection the value of an object's relationship; generated accessors call it.
    @_spi(Generated) public func _ashlarAssign(to owner: ManagedObject, _ relationship: RelationshipNumber) {
        if case .relationship(let current, relationship) = storage, current === owner { return }
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
    /// The number of members. Complexity: that of loading the members on first use, then O(1).
    public var endIndex: Int {
        switch storage {
        case .array(let objects): objects.count
        case .relationship(let owner, let number): owner.memberCount(number)
        }
    }

    public subscript(position: Int) -> Element {
        switch storage {
        case .array(let objects): objects[position]
        case .relationship(let owner, let number): owner.member(number, at: position) as? Element ?? array[position]
        }
    }

    public func makeIterator() -> IndexingIterator<[Element]> { array.makeIterator() }
}

extension ToMany: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Element...) {
        self.init(elements)
    }
}

extension ToMany: CustomStringConvertible {
    public var description: String { array.description }
}

extension ManagedObject {
    /// The destination of a to-one relationship, by its number and the identifier that the object's row holds; generated
    /// accessors call it.
    @_spi(Generated) public final func _ashlarToOne<Model: PersistentModel>(
        _ relationship: RelationshipNumber, _ identifier: PersistentIdentifier?
    ) -> Model? {
        guard let context = record.context else {
            return detachedObjects(relationship, isKnownEmpty: identifier == nil).first as? Model
        }
        if record.isObserved { noteAccess(toOne: relationship) }
        guard let identifier else { return nil }
        return context.destination(identifier, of: self, column: foreignKeyColumn(of: relationship)) as? Model
    }

    /// The column of a relationship that is known to have one.
    @inline(never)
    private func foreignKeyColumn(of relationship: RelationshipNumber) -> Int {
        guard case .column(let column) = entity.relationships[relationship].storage else { return 0 }
        return column
    }

    /// The destination of a to-one relationship whose foreign key is elsewhere, by its number; generated accessors call
    /// it.
    @_spi(Generated) public final func _ashlarToOne<Model: PersistentModel>(_ relationship: RelationshipNumber)
        -> Model?
    {
        if let context = record.context {
            noteAccess(toOne: relationship)
            return context.toOne(self, relationship) as? Model
        }
        return detachedObjects(relationship).first as? Model
    }

    /// Sets a to-one relationship and the other side of it; generated accessors call it.
    @_spi(Generated) public final func _ashlarSetToOne(_ relationship: RelationshipNumber, _ target: ManagedObject?) {
        if let context = liveContext ?? target?.liveContext {
            context.setToOne(self, relationship, target)
            return
        }
        guard record.state == .detached, target?.record.state ?? .detached == .detached else { return }
        let old = links(relationship)?.objects.first
        if old === target { return }
        let inverse = entity.relationships[relationship].inverse
        if let old {
            links(relationship)?.objects = []
            if let inverse { old.links(inverse)?.objects.removeAll { $0 === self } }
        }
        guard let target else { return }
        if let inverse, !target.entity.relationships[inverse].isToMany,
            let partner = target.links(inverse)?.objects.first
        {
            partner.links(relationship)?.objects = []
            target.links(inverse)?.objects = []
        }
        makeLinks(relationship).objects = [target]
        if let inverse { target.makeLinks(inverse).objects.append(self) }
    }

    final func memberObjects(_ relationship: RelationshipNumber) -> [ManagedObject] {
        noteAccess(relationship: relationship)
        if let context = record.context { return context.memberObjects(of: self, relationship) }
        return detachedObjects(relationship)
    }

    /// What a relationship of an object in no context holds.
    @inline(never)
    private final func detachedObjects(_ relationship: RelationshipNumber, isKnownEmpty: Bool = false)
        -> [ManagedObject]
    {
        let objects = links(relationship)?.objects ?? []
        if objects.isEmpty, !isKnownEmpty, record.state == .detached, record.rowID > 0 {
            LostRelationships.report(relationship, of: self)
        }
        return objects
    }

    final func member(_ relationship: RelationshipNumber, at position: Int) -> ManagedObject? {
        noteAccess(relationship: relationship)
        guard let context = record.context else { return links(relationship)?.objects[position] }
        return context.object(of: self, relationship, rowID: context.livingMembers(of: self, relationship)[position])
    }

    final func memberCount(_ relationship: RelationshipNumber) -> Int {
        noteAccess(relationship: relationship)
        if let context = record.context { return context.livingMembers(of: self, relationship).count }
        return detachedObjects(relationship).count
    }

    final func addMember(_ member: ManagedObject, _ relationship: RelationshipNumber) {
        if let context = liveContext ?? member.liveContext {
            context.add(member, to: self, relationship)
            return
        }
        guard record.state == .detached, member.record.state == .detached else { return }
        let description = entity.relationships[relationship]
        if let inverse = description.inverse, !member.entity.relationships[inverse].isToMany {
            member._ashlarSetToOne(inverse, self)
            return
        }
        if links(relationship)?.objects.contains(where: { $0 === member }) == true { return }
        makeLinks(relationship).objects.append(member)
        if let inverse = description.inverse, inverse != relationship || member !== self {
            member.makeLinks(inverse).objects.append(self)
        }
    }

    final func removeMember(_ member: ManagedObject, _ relationship: RelationshipNumber) {
        if let context = liveContext {
            context.remove(member, from: self, relationship)
            return
        }
        links(relationship)?.objects.removeAll { $0 === member }
        if let inverse = entity.relationships[relationship].inverse {
            member.links(inverse)?.objects.removeAll { $0 === self }
        }
    }

    final func setMembers(_ members: [ManagedObject], _ relationship: RelationshipNumber) {
        if let context = liveContext ?? members.lazy.compactMap(\.liveContext).first {
            if record.state == .detached { context.insertObject(self) }
            context.setMembers(members, of: self, relationship)
            return
        }
        for member in links(relationship)?.objects ?? [] { removeMember(member, relationship) }
        for member in members { addMember(member, relationship) }
    }
}
