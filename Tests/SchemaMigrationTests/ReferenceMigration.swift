import DataModel
import Foundation

/// Migrates objects in memory by the rules of lightweight migration: an interpreter without tables and SQL. The code
/// that changed the model supplies the origins.
struct ReferenceMigration {
    let old: ModelGraph
    let new: ModelGraph
    /// The name of the old entity for a new one; nil if it had none.
    let oldEntityName: (String) -> String?
    /// The origin, for objects of an old entity, of a property that an entity declares; nil if they had none.
    let origin: (RandomModel.Origin, _ oldEntityName: String) -> RandomModel.Origin?

    /// Returns the objects afterwards, and the relationships that have an order now and had it before.
    func migrate(_ before: ReferenceGraph) -> (graph: ReferenceGraph, ordered: Set<RandomModel.Origin>) {
        var after = ReferenceGraph()
        var newNames: [String: String] = [:]
        for entity in new.entitiesByName {
            if let name = oldEntityName(entity.name) { newNames[name] = entity.name }
        }
        for (mark, object) in before.objects {
            guard let name = newNames[object.entityName], let entity = new.entity(named: name) else { continue }
            var migrated = ReferenceGraph.Object(entityName: name, version: object.version)
            for attribute in ReferenceGraph.attributes(of: entity, in: new) where !attribute.isDerived {
                migrated.values[attribute.name] = value(of: attribute, entity, object)
            }
            after.objects[mark] = migrated
        }
        var ordered: Set<RandomModel.Origin> = []
        for entity in new.entitiesByName {
            for relationship in entity.relationships where !relationship.isTransient {
                if link(relationship, entity, before, &after) {
                    ordered.insert(.init(entityName: entity.name, name: relationship.name))
                }
            }
        }
        while takeAlong(&after, before) {}
        return (after, ordered)
    }

    // MARK: Deleted objects

    /// Deletes objects whose required destination is gone and whose deletion cascades; returns whether there were any.
    private func takeAlong(_ after: inout ReferenceGraph, _ before: ReferenceGraph) -> Bool {
        let gone = after.objects.filter { mark, object in
            missing(of: object).contains { relationship, entity in
                new.inverse(of: relationship)?.relationship.deletionRule == .cascade
                    && origin(
                        .init(entityName: entity.name, name: relationship.name), before.objects[mark]?.entityName ?? ""
                    ).map { before.objects[mark]?.links[$0.name]?.isEmpty == false } ?? false
            }
        }
        for mark in gone.keys { after.objects[mark] = nil }
        for mark in after.objects.keys {
            for name in after.objects[mark]?.links.keys.sorted() ?? [] {
                after.objects[mark]?.links[name]?.removeAll { gone[$0] != nil }
            }
        }
        return !gone.isEmpty
    }

    /// Whether an object lacks a required destination, which no store may allow.
    func lacksRequired(_ graph: ReferenceGraph) -> Bool { graph.objects.values.contains { !missing(of: $0).isEmpty } }

    /// Whether a relationship to one is stored by its own entity, not by the other side.
    private func isKept(_ relationship: Relationship, by entity: Entity) -> Bool {
        guard let inverse = new.inverse(of: relationship), !inverse.relationship.isToMany else { return true }
        return relationship.holdsColumn(of: entity.name, against: inverse.relationship, of: inverse.entity.name)
    }

    private func missing(of object: ReferenceGraph.Object) -> [(Relationship, Entity)] {
        guard let entity = new.entity(named: object.entityName) else { return [] }
        return ([entity] + new.ancestors(of: entity)).flatMap { kind in
            kind.relationships.filter {
                !$0.isOptional && !$0.isToMany && !$0.isTransient && object.links[$0.name]?.isEmpty != false
                    && isKept($0, by: kind)
            }.map { ($0, kind) }
        }
    }

    // MARK: Values

    private func value(of attribute: Attribute, _ entity: Entity, _ object: ReferenceGraph.Object) -> String {
        let fallback = (try? attribute.migrationDefault()).map { Self.literal($0) } ?? "NULL"
        guard let owner = owner(of: attribute.name, in: entity, new, \.attributes),
            let origin = origin(.init(entityName: owner.name, name: attribute.name), object.entityName),
            let value = object.values[origin.name], let oldEntity = old.entity(named: object.entityName),
            let source = old.attributes(of: oldEntity).last(where: { $0.name == origin.name })
        else { return fallback }
        // Derived values may be lost, so that their type may become any other.
        let isLost =
            source.isDerived && source.type != attribute.type
            && RandomModel.widerTypes[source.type]?.contains(attribute.type) != true
        if value == "NULL" || isLost { return attribute.isOptional ? "NULL" : fallback }
        return Self.converted(value, from: source.type, to: attribute.type)
    }

    private func owner<Property: NamedProperty>(
        of name: String, in entity: Entity, _ graph: ModelGraph, _ properties: KeyPath<Entity, [Property]>
    ) -> Entity? {
        ([entity] + graph.ancestors(of: entity)).first { $0[keyPath: properties].contains { $0.name == name } }
    }

    static func converted(_ literal: String, from old: AttributeType, to new: AttributeType) -> String {
        switch (old, new) {
        case (.boolean, .double), (.integer16, .double), (.integer32, .double), (.integer64, .double),
            (.integer16, .float), (.integer32, .float), (.integer64, .float), (.boolean, .float):
            return Self.real(Double(literal) ?? 0)
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal), (.integer16, .string),
            (.integer32, .string), (.integer64, .string):
            return "'\(literal)'"
        case (.uuid, .string):
            let digits = Array(literal.dropFirst(2).dropLast())
            let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map {
                String(digits[$0.clamped(to: 0..<digits.count)])
            }
            return "'\(parts.joined(separator: "-"))'"
        default: return literal
        }
    }

    private static func literal(_ value: DefaultValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .boolean(let flag): flag ? "1" : "0"
        case .real(let number), .date(let number): real(number)
        case .string(let text), .uri(let text), .decimal(let text):
            "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        case .uuid(let uuid): "X'\(uuid.uuidString.replacingOccurrences(of: "-", with: ""))'"
        case .binary(let bytes):
            "X'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16).uppercased() }.joined())'"
        }
    }

    /// As SQLite quotes a number.
    private static func real(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number)).0" : "\(number)"
    }

    // MARK: Links

    /// Makes the links of a relationship; returns whether they have an order that they had before.
    private func link(
        _ relationship: Relationship, _ entity: Entity, _ before: ReferenceGraph, _ after: inout ReferenceGraph
    ) -> Bool {
        let inverse = new.inverse(of: relationship).flatMap {
            $0.relationship.inverseName == relationship.name ? $0 : nil
        }
        let isSymmetric = inverse?.entity.name == entity.name && inverse?.relationship.name == relationship.name
        var links: [Int: [Int]] = [:]
        var keepsOrder = false
        var hasSource = false
        for (mark, object) in before.objects {
            guard isKind(after.objects[mark]?.entityName, of: entity.name),
                let origin = origin(.init(entityName: entity.name, name: relationship.name), object.entityName)
            else { continue }
            hasSource = true
            links[mark] = object.links[origin.name] ?? []
            let wasOrdered =
                old.entity(named: origin.entityName)?.relationships
                .first { $0.name == origin.name }?.isOrdered ?? false
            keepsOrder = relationship.isOrdered && wasOrdered
        }
        if !hasSource, let inverse, !isSymmetric {
            for (mark, object) in before.objects {
                guard isKind(after.objects[mark]?.entityName, of: inverse.entity.name),
                    let origin = origin(
                        .init(entityName: inverse.entity.name, name: inverse.relationship.name), object.entityName)
                else { continue }
                for target in object.links[origin.name] ?? [] { links[target, default: []].append(mark) }
            }
        }
        if isSymmetric {
            for (mark, targets) in links {
                for target in targets where links[target]?.contains(mark) != true {
                    links[target, default: []].append(mark)
                }
            }
        }
        for (mark, targets) in links where isKind(after.objects[mark]?.entityName, of: entity.name) {
            let kept = targets.filter { isKind(after.objects[$0]?.entityName, of: relationship.destinationName) }
            after.objects[mark]?.links[relationship.name] = kept
        }
        return keepsOrder
    }

    private func isKind(_ entityName: String?, of ancestor: String) -> Bool {
        guard let entityName, let entity = new.entity(named: entityName) else { return false }
        return entityName == ancestor || new.ancestors(of: entity).contains { $0.name == ancestor }
    }
}

protocol NamedProperty {
    var name: String { get }
}

extension Attribute: NamedProperty {}
extension Relationship: NamedProperty {}
