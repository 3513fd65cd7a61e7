@_spi(Generated) import Ashlar
import AshlarSQLite
import GeneratorPipeline
import RelationalSchema
import StoreDescription
import SwiftGeneration

import class RelationalSchema.Schema

/// A model without generated classes that has objects nevertheless: the runtime's containers and contexts open, read
/// and change its stores, with the same rules.
///
///     let model = DescribedModel.type(of: plan, version: 2)
///     let container = try ModelContainer(for: model, at: url)
///
/// Composites appear as their columns, and values of a program's own types as they are stored: numbers, texts and
/// bytes.
package enum DescribedModel {
    /// The model as programs had it when a version of the plan was the current one.
    ///
    /// The classes that are made for it are never released: keep the model, and make it once.
    ///
    /// - Parameter version: The position of the version in the plan.
    package static func type(of plan: ModelPlan, version: Int) -> any ManagedObjectModel.Type {
        let type = model(ClassMarks.next())
        let planned = ModelDescription.ofAllVersions(plan)[version]
        let family = DescribedFamily()
        // The classes of the entities above one are made before its own.
        var shapes: [String: Shape] = [:]
        var classes: [String: DescribedClass] = [:]
        let entities = EntityDescription.all(of: plan.schemas[version]) { described, parent in
            let name = described.entity.name
            let shape = Shape(described, parent.flatMap { shapes[$0.name] })
            shapes[name] = shape
            let made = DescribedClass(shape.parts, isInHierarchy: described.isInHierarchy, family)
            let object = objectClass(ClassMarks.next(), shape.values)
            DescribedClasses.add(made, for: object)
            family.add(object, for: name)
            classes[name] = made
            return (object, shape.values, type)
        }
        for entity in entities { classes[entity.name]?.describe(entity) }
        DescribedClasses.add(
            ModelDescription(
                name: planned.name, entities: entities, versions: planned.versions, schema: planned.schema,
                firstSchema: planned.firstSchema, parts: planned.parts), for: type)
        return type
    }

    private static func model<Mark: ClassMark>(_ mark: Mark.Type) -> any ManagedObjectModel.Type {
        MarkedModel<Mark>.self
    }

    private static func objectClass<Mark: ClassMark, Values: EntityValues>(
        _ mark: Mark.Type, _ values: Values.Type
    ) -> ManagedObject.Type {
        DescribedObject<Mark, Values>.self
    }

    /// The memory layout of an entity's values.
    private struct Shape {
        var values: any EntityValues.Type = NoValues.self
        /// The size of the values struct so far.
        private var size = 0
        var parts: [DescribedClass.Part] = []

        init(_ described: DescribedEntity, _ parent: Shape?) {
            if let parent { self = parent }
            var part = DescribedClass.Part()
            for (column, line) in described.columns.utf8.split(separator: UInt8(ascii: "\n")).enumerated() {
                guard let line = ColumnLine(Substring(line)),
                    line.entity ?? described.entity.name == described.entity.name
                else { continue }
                let type = DescribedType(line)
                values = type.appended(values)
                let (offset, storedOffset) = (type.offset(behind: size), type.offset(behind: part.size))
                size = offset + type.size
                part.size = storedOffset + type.size
                part.alignment = max(part.alignment, type.alignment)
                part.properties.append(
                    DescribedClass.Property(column: column, type: type, offset: offset, storedOffset: storedOffset))
            }
            parts.append(part)
        }
    }

    // MARK: Changing objects

    /// Sets an attribute of an object of such a model, as its accessor does.
    ///
    /// - Parameters:
    ///   - column: The position of the attribute's column among ``EntityDescription/columns``.
    /// - Returns: False for a value that the attribute cannot have; the object is then unchanged.
    package static func set(_ value: SQLiteValue, _ column: Int, of object: ManagedObject) -> Bool {
        guard let object = object as? any DescribedMemory else { return false }
        for (part, memory) in zip(object.described.parts, object.parts) {
            guard let property = part.properties.first(where: { $0.column == column }) else { continue }
            // The value is first tried outside of the object, because the property may not accept it.
            let trial = UnsafeMutableRawPointer.allocate(
                byteCount: max(1, property.type.size), alignment: property.type.alignment)
            defer { trial.deallocate() }
            guard property.type.initialize(trial, to: value) else { return false }
            object._ashlarWillChange(1 << UInt64(min(column, 63)))
            property.type.destroy(memory + property.storedOffset)
            (memory + property.storedOffset).copyMemory(from: trial, byteCount: property.type.size)
            return true
        }
        return false
    }
}

/// A model that was described while the program runs.
private enum MarkedModel<Mark: ClassMark>: ManagedObjectModel {
    static var modelDescription: ModelDescription { DescribedClasses[model: self] }
}
