import AshlarImport
import Foundation

/// The model that Core Data and SwiftData keep in a store beside its data: a keyed archive, mostly compressed.
package struct CachedModel {
    struct Entity {
        var name: String
        var parent: String?
        var isAbstract: Bool
        var className: String?
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var uniquenessConstraints: [[String]] = []
        var indexes: [Index] = []
        /// The renaming identifier, if it differs from the name.
        var renamingIdentifier: String?
    }

    struct Attribute {
        var name: String
        /// The type as models write it.
        var type: String
        var isOptional: Bool
        var isTransient: Bool
        var allowsExternalStorage: Bool
        var transformer: String?
        var defaultValue: String?
        /// Whether it has an index of its own, without a name.
        var isIndexed: Bool
        var renamingIdentifier: String?
    }

    struct Relationship {
        var name: String
        var destination: String
        var inverse: String?
        var isToMany: Bool
        var isOrdered: Bool
        var isOptional: Bool
        var isTransient: Bool
        var minimum: Int
        var maximum: Int
        var deletionRule: String
        var renamingIdentifier: String?
    }

    struct Index {
        struct Element: Equatable {
            var property: String
            var isRTree: Bool
            var isAscending: Bool
        }

        var name: String
        var elements: [Element]
    }

    /// By name.
    private(set) var entities: [Entity] = []
    /// The names of the entities, in order.
    package var entityNames: [String] { entities.map(\.name) }
    /// The points that a person must check, because the archive does not contain them, or in an unknown form.
    package var notes: [String] = []

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// Reads the model in a store's `Z_MODELCACHE`.
    package init(_ bytes: Data) throws {
        let archive: ModelArchive
        do {
            archive = try ModelArchive(bytes)
        } catch {
            throw Failure(description: "the model that the store keeps cannot be read")
        }
        var found: [String: Entity] = [:]
        for position in archive.positions(ofClass: ["NSEntityDescription"]) {
            guard let name = archive.string(position, "NSEntityName") else { continue }
            var entity = Entity(
                name: name,
                parent: archive.position(position, "NSSuperentity").flatMap { archive.string($0, "NSEntityName") },
                isAbstract: archive.flag(position, "NSIsAbstract"),
                className: archive.string(position, "NSClassNameForEntity"),
                renamingIdentifier: Self.renamingIdentifier(archive, position, of: name))
            for tuple in archive.elements(position, "NSUniqueTuples") {
                let names = archive.elements(of: tuple).compactMap {
                    archive.string($0) ?? archive.string($0, "NSPropertyName")
                }
                if !names.isEmpty { entity.uniquenessConstraints.append(names) }
            }
            found[name] = entity
        }
        for position in archive.positions(ofClass: [
            "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription",
        ]) {
            guard let owner = archive.owner(position), let name = archive.string(position, "NSPropertyName") else {
                continue
            }
            let code = archive.integer(position, "NSAttributeType") ?? 0
            let isTransient = archive.flag(position, "NSIsTransient")
            let type = Self.types[code]
            if type == nil || archive.className(position) != "NSAttributeDescription" {
                notes.append("\(owner).\(name) has a type that is not written down here (\(code))")
            }
            found[owner]?.attributes.append(
                Attribute(
                    name: name, type: type ?? "Transformable", isOptional: archive.flag(position, "NSIsOptional"),
                    isTransient: isTransient,
                    allowsExternalStorage: (archive.integer(position, "NSFlagsKey") ?? 0) & 4 != 0,
                    transformer: archive.string(position, "NSValueTransformerName"),
                    defaultValue: archive.text(position, "NSDefaultValue", isBoolean: code == 800),
                    isIndexed: archive.flag(position, "NSIsIndexed") && !isTransient,
                    renamingIdentifier: Self.renamingIdentifier(archive, position, of: name)))
        }
        for position in archive.positions(ofClass: ["NSRelationshipDescription"]) {
            guard let owner = archive.owner(position), let name = archive.string(position, "NSPropertyName"),
                let destination = archive.string(position, "_NSDestinationEntityName")
            else { continue }
            let maximum = archive.integer(position, "NSMaxCount") ?? 0
            let rules = ["No Action", "Nullify", "Cascade", "Deny"]
            let rule = archive.integer(position, "NSDeleteRule") ?? 0
            found[owner]?.relationships.append(
                Relationship(
                    name: name, destination: destination,
                    inverse: archive.string(position, "_NSInverseRelationshipName"), isToMany: maximum != 1,
                    isOrdered: archive.flag(position, "NSIsOrdered"),
                    isOptional: archive.flag(position, "NSIsOptional"),
                    isTransient: archive.flag(position, "NSIsTransient"),
                    minimum: archive.integer(position, "NSMinCount") ?? 0, maximum: maximum,
                    deletionRule: rules.indices.contains(rule) ? rules[rule] : "Nullify",
                    renamingIdentifier: Self.renamingIdentifier(archive, position, of: name)))
        }
        readIndexes(archive, into: &found)
        for name in found.keys { removeInherited(from: name, in: &found) }
        entities = found.values.sorted { $0.name < $1.name }
    }

    /// Returns the former name of an entity or a property; the archive has the present name if there was no other.
    private static func renamingIdentifier(_ archive: ModelArchive, _ position: Int, of name: String) -> String? {
        archive.string(position, "NSRenamingIdentifier").flatMap { $0 == name ? nil : $0 }
    }

    /// An entity's list has copies of its inherited properties.
    private func removeInherited(from name: String, in entities: inout [String: Entity]) {
        var inherited: Set<String> = []
        var parent = entities[name]?.parent
        var steps = 0
        while let found = parent.flatMap({ entities[$0] }), steps < entities.count {
            inherited.formUnion(found.attributes.map(\.name) + found.relationships.map(\.name))
            parent = found.parent
            steps += 1
        }
        entities[name]?.attributes.removeAll { inherited.contains($0.name) }
        entities[name]?.relationships.removeAll { inherited.contains($0.name) }
    }

    private static let types = [
        0: "Undefined", 100: "Integer 16", 200: "Integer 32", 300: "Integer 64", 400: "Decimal", 500: "Double",
        600: "Float", 700: "String", 800: "Boolean", 900: "Date", 1000: "Binary", 1100: "UUID", 1200: "URI",
        1800: "Transformable",
    ]
}
