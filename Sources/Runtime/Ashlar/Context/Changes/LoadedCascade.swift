/// A loader of the objects that a deletion cascades to. It loads level by level, with one load per level instead of one
/// per owner.
struct LoadedCascade {
    private let context: ModelContext
    /// The objects whose members and destinations were loaded.
    private var owners: Set<ObjectIdentifier> = []

    init(_ context: ModelContext) { self.context = context }

    /// Loads the destinations of several objects that are to be deleted, and the levels below them.
    mutating func load(below objects: [ManagedObject]) {
        var level = objects
        // A single object loads its destinations as it is deleted, and so does a single object of a level.
        while level.count > 1 {
            level.removeAll { !owners.insert(ObjectIdentifier($0)).inserted }
            var next: [ManagedObject] = []
            while let first = level.first {
                let traits = first.traits
                loadEnds(of: level.filter { $0.traits == traits }, traits, &next)
                level.removeAll { $0.traits == traits }
            }
            level = next
        }
    }

    /// Loads the destinations of objects of one entity, and adds to `next` those that are deleted with them.
    private func loadEnds(
        of objects: [ManagedObject], _ traits: UnsafePointer<EntityTraits>, _ next: inout [ManagedObject]
    ) {
        guard objects.count > 1 else { return }
        for number in traits.pointee.numbers {
            if context.isDetachedByIdentifier(objects[0], number) { continue }
            let relationship = traits.pointee[number]
            if relationship.pointee.place == .column {
                context.loadDestinations(of: objects, column: relationship.pointee.column)
            } else {
                context.loadMembers(ofAll: objects, number)
            }
            if relationship.pointee.deletionRule != .cascade { continue }
            for object in objects { next += context.destinationObjects(of: object, number) }
        }
    }
}
