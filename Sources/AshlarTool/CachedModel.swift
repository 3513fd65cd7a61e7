import Ashlar
import Foundation

/// The model that Core Data and SwiftData keep in a store beside its data: a keyed archive, mostly compressed.
struct CachedModel {
    struct Entity {
        var name: String
        var parent: String?
        var isAbstract: Bool
        var className: String?
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var uniquenessConstraints: [[String]] = []
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
    }

    /// By name.
    private(set) var entities: [Entity] = []
    /// What a person has to look at, since the archive does not say it, or in a way that is not known.
    private(set) var notes: [String] = []

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Reads what a store has in `Z_MODELCACHE`.
    init(_ bytes: Data) throws {
        let isPlain = bytes.starts(with: Data("bplist00".utf8))
        let archive: Archive
        do {
            archive = try Archive(isPlain ? bytes : RawDeflate.decompress(bytes))
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
                className: archive.string(position, "NSClassNameForEntity"))
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
                    defaultValue: archive.text(position, "NSDefaultValue", isBoolean: code == 800)))
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
                    deletionRule: rules.indices.contains(rule) ? rules[rule] : "Nullify"))
        }
        for name in found.keys { removeInherited(from: name, in: &found) }
        entities = found.values.sorted { $0.name < $1.name }
    }

    /// An entity's list has copies of what it inherits.
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

/// A keyed archive as a list of objects with keys.
private struct Archive {
    private let list: BinaryPropertyList
    /// The places of the archive's own objects in the list.
    private let objects: [Int]

    init(_ data: Data) throws {
        list = try BinaryPropertyList(data)
        guard case .dictionary(let root) = try list.object(at: list.root) else { throw RawDeflate.Failure() }
        var found: [Int] = []
        for (key, value) in root {
            if case .string("$objects") = try list.object(at: key), case .array(let places) = try list.object(at: value)
            {
                found = places
            }
        }
        objects = found
    }

    private func object(_ position: Int) -> BinaryPropertyList.Object? {
        objects.indices.contains(position) ? try? list.object(at: objects[position]) : nil
    }

    private func value(_ position: Int, _ key: String) -> BinaryPropertyList.Object? {
        guard case .dictionary(let pairs)? = object(position) else { return nil }
        for (place, value) in pairs {
            if case .string(key)? = try? list.object(at: place) { return try? list.object(at: value) }
        }
        return nil
    }

    /// The object that a key leads to.
    func position(_ position: Int, _ key: String) -> Int? {
        if case .uid(let number)? = value(position, key) { number } else { nil }
    }

    func className(_ position: Int) -> String? {
        self.position(position, "$class").flatMap { number in
            if case .string(let name)? = value(number, "$classname") { name } else { nil }
        }
    }

    func positions(ofClass names: Set<String>) -> [Int] {
        objects.indices.filter { className($0).map(names.contains) ?? false }
    }

    func string(_ position: Int) -> String? {
        if case .string(let text)? = object(position), text != "$null" { return text }
        if case .string(let text)? = value(position, "NS.string") { return text }
        return nil
    }

    func string(_ position: Int, _ key: String) -> String? {
        if let number = self.position(position, key) { return string(number) }
        if case .string(let text)? = value(position, key) { return text }
        return nil
    }

    private func scalar(_ position: Int, _ key: String) -> BinaryPropertyList.Object? {
        self.position(position, key).flatMap(object) ?? value(position, key)
    }

    func integer(_ position: Int, _ key: String) -> Int? {
        if case .integer(let number)? = scalar(position, key) { Int(clamping: number) } else { nil }
    }

    func flag(_ position: Int, _ key: String) -> Bool {
        switch scalar(position, key) {
        case .boolean(let flag)?: flag
        case .integer(let number)?: number != 0
        default: false
        }
    }

    /// A default as models write it; nil where there is none, or one that is no text and no number.
    func text(_ position: Int, _ key: String, isBoolean: Bool) -> String? {
        switch scalar(position, key) {
        case .boolean(let flag)?: isBoolean ? (flag ? "YES" : "NO") : (flag ? "1" : "0")
        case .integer(let number)?: isBoolean ? (number == 0 ? "NO" : "YES") : String(number)
        case .real(let number)?: String(number)
        case .string(let text)? where text != "$null": text
        default: nil
        }
    }

    /// The objects of an array that a key leads to.
    func elements(_ position: Int, _ key: String) -> [Int] { self.position(position, key).map(elements(of:)) ?? [] }

    func elements(of position: Int) -> [Int] {
        guard case .array(let places)? = value(position, "NS.objects") else { return [] }
        return places.compactMap { place in
            if case .uid(let number)? = try? list.object(at: place) { number } else { nil }
        }
    }

    /// The entity that a property is one of.
    func owner(_ position: Int) -> String? {
        self.position(position, "NSEntity").flatMap { string($0, "NSEntityName") }
    }
}
