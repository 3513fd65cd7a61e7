@_spi(Generated) import Ashlar
import AshlarSQLite
import Synchronization

/// An object of an entity that is described at run time, in a context of the runtime like any other object.
///
/// It takes the place of an object of a generated class: it gives the runtime its entity and the places of its values,
/// from its description. The program's own classes are unknown, so that their hooks and validation do not run.
final class DescribedObject<Mark: ClassMark, Stored: EntityValues>: ManagedObject, PersistentModel, DescribedMemory {
    typealias Values = Stored

    let described: DescribedClass
    /// The values that the classes of the hierarchy store, the root's first.
    let parts: [UnsafeMutableRawPointer]

    private init(taking values: UnsafeMutableRawPointer, _ described: DescribedClass) {
        self.described = described
        parts = described.parts.map { part in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, part.size), alignment: part.alignment)
            for property in part.properties {
                (memory + property.storedOffset).copyMemory(
                    from: values + property.offset, byteCount: property.type.size)
            }
            return memory
        }
        super.init()
    }

    deinit {
        for (part, memory) in zip(described.parts, parts) {
            for property in part.properties { property.type.destroy(memory + property.storedOffset) }
            memory.deallocate()
        }
    }

    override class var _ashlarEntity: EntityDescription { DescribedClasses[self].entity }

    override class func _ashlarClass(of row: Row) throws(RowError) -> ManagedObject.Type {
        try DescribedClasses[self].objectClass(self, named: row)
    }

    override class func _ashlarObject(taking values: UnsafeMutableRawPointer) -> ManagedObject {
        DescribedObject(taking: values, DescribedClasses[self])
    }

    override func _ashlarLend(_ depth: Int, to body: (UnsafeMutableRawPointer) -> Void) { body(parts[depth]) }
}

/// An object whose values lie at the offsets of a description.
protocol DescribedMemory: ManagedObject {
    var described: DescribedClass { get }
    var parts: [UnsafeMutableRawPointer] { get }
}

/// The description of a class that was created at run time for an entity.
final class DescribedClass: Sendable {
    /// A property that the class at a depth of the hierarchy declares.
    struct Property: Sendable {
        var column: Int
        var type: DescribedType
        /// Its offset in the values struct.
        var offset: Int
        /// Its offset among the values that the class stores.
        var storedOffset: Int
    }

    /// The values that the class at a depth of the hierarchy stores.
    struct Part: Sendable {
        var properties: [Property] = []
        var size = 0
        var alignment = 1
    }

    let parts: [Part]
    let isInHierarchy: Bool
    /// The entities of the model, by their names, once all are known.
    private let family: DescribedFamily
    private let known = Mutex<EntityDescription?>(nil)

    init(_ parts: [Part], isInHierarchy: Bool, _ family: DescribedFamily) {
        self.parts = parts
        self.isInHierarchy = isInHierarchy
        self.family = family
    }

    /// The entity, which is described right after its class was made.
    var entity: EntityDescription {
        guard let entity = known.withLock({ $0 }) else {
            preconditionFailure("an entity is asked for while it is described")
        }
        return entity
    }

    func describe(_ entity: EntityDescription) { known.withLock { $0 = entity } }

    /// The class of a row's object. If a table holds several entities, the row names the entity.
    func objectClass(_ own: ManagedObject.Type, named row: Row) throws(RowError) -> ManagedObject.Type {
        if !isInHierarchy { return own }
        let classes = family.classes
        // The row of a root's own object names no entity.
        guard let name = row.optionalString(2) else {
            if entity.parentName == nil { return own }
            throw RowError(column: 2, expected: "the name of \(entity.name) or an entity below it")
        }
        var above: String? = name
        while let next = above, let found = classes[next] {
            if found == own { return classes[name] ?? own }
            above = DescribedClasses[found].entity.parentName
        }
        throw RowError(column: 2, expected: "the name of \(entity.name) or an entity below it")
    }
}

/// The classes of the entities of a model.
final class DescribedFamily: Sendable {
    private let storage = Mutex<[String: ManagedObject.Type]>([:])

    var classes: [String: ManagedObject.Type] { storage.withLock { $0 } }

    func add(_ type: ManagedObject.Type, for name: String) { storage.withLock { $0[name] = type } }
}

/// The descriptions so far. A class created at run time exists until the process ends, and so does its description.
enum DescribedClasses {
    private static let known = Mutex<[ObjectIdentifier: DescribedClass]>([:])
    private static let models = Mutex<[ObjectIdentifier: ModelDescription]>([:])

    static subscript(_ type: ManagedObject.Type) -> DescribedClass {
        guard let found = known.withLock({ $0[ObjectIdentifier(type)] }) else {
            preconditionFailure("\(type) was not described")
        }
        return found
    }

    static func add(_ described: DescribedClass, for type: ManagedObject.Type) {
        known.withLock { $0[ObjectIdentifier(type)] = described }
    }

    static subscript(model type: any ManagedObjectModel.Type) -> ModelDescription {
        guard let found = models.withLock({ $0[ObjectIdentifier(type)] }) else {
            preconditionFailure("\(type) was not described")
        }
        return found
    }

    static func add(_ model: ModelDescription, for type: any ManagedObjectModel.Type) {
        models.withLock { $0[ObjectIdentifier(type)] = model }
    }
}
