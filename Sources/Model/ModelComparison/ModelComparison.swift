import DataModel
import SchemaMigration

/// The differences between two versions of a model, as a person would describe them.
///
/// A thing with another name and a renaming identifier is renamed. Without one, it is removed, and another is new.
package struct ModelComparison: Sendable, Hashable {
    /// The kind of thing that changed.
    package enum Kind: String, Sendable, Encodable {
        case model, entity, attribute, relationship, fetchedProperty, index, uniquenessConstraint, composite,
            configuration
        case fetchRequest
    }

    /// The kind of a change.
    package enum Action: String, Sendable, Encodable {
        case added, removed, changed
    }

    /// A fact that differs between the versions; a value is nil if its version does not have it.
    package struct Facet: Sendable, Hashable, Encodable {
        package var name: String
        package var before: String?
        package var after: String?
    }

    /// An added, removed or changed thing.
    package struct Change: Sendable, Hashable, Encodable {
        package var kind: Kind
        package var action: Action
        /// The owner: the name of an entity or a composite in the newer version, or in the older one if it was removed.
        package var owner: String?
        package var name: String
        /// The name in the older version, if it was renamed.
        package var formerName: String?
        /// The changed properties: all of them for a new or removed thing.
        package var facets: [Facet]
    }

    /// In the order of the newer version, followed by removed things.
    package let changes: [Change]

    /// Compares two versions.
    package init(from old: Model, to new: Model) {
        let (before, after) = (DescribedThing.all(of: old), DescribedThing.all(of: new))
        var renamed: [String: String] = [:]
        for (thing, index) in zip(after, Self.matches(before, after)) where thing.kind == .entity {
            if let index, before[index].name != thing.name { renamed[before[index].name] = thing.name }
        }
        changes = Self.changes(
            from: before.map { $0.renaming(entities: renamed) }, to: after, owner: nil)
    }

    private static func changes(
        from old: [DescribedThing], to new: [DescribedThing], owner: String?
    ) -> [Change] {
        var result: [Change] = []
        let former = matches(old, new)
        var used: Set<Int> = []
        for (thing, index) in zip(new, former) {
            guard let index else {
                result += changes(of: thing, .added, owner: owner)
                continue
            }
            used.insert(index)
            let before = old[index]
            // Versions have different names; that is not a renaming.
            let isRenamed = before.name != thing.name && thing.kind != .model
            let facets = self.facets(from: before.facets, to: thing.facets)
            if isRenamed || !facets.isEmpty {
                result.append(
                    Change(
                        kind: thing.kind, action: .changed, owner: owner, name: thing.name,
                        formerName: isRenamed ? before.name : nil, facets: facets))
            }
            result += changes(from: before.parts, to: thing.parts, owner: thing.name)
        }
        for (index, thing) in old.enumerated() where !used.contains(index) {
            result += changes(of: thing, .removed, owner: owner)
        }
        return result
    }

    /// An added or removed thing and its parts.
    private static func changes(of thing: DescribedThing, _ action: Action, owner: String?) -> [Change] {
        let isNew = action == .added
        let change = Change(
            kind: thing.kind, action: action, owner: owner, name: thing.name,
            facets: thing.facets.map {
                Facet(name: $0.name, before: isNew ? nil : $0.value, after: isNew ? $0.value : nil)
            })
        return [change] + thing.parts.flatMap { changes(of: $0, action, owner: thing.name) }
    }

    /// The older thing of each newer one, as the planner of migrations has it.
    private static func matches(_ old: [DescribedThing], _ new: [DescribedThing]) -> [Int?] {
        // Attributes and relationships are matched together, because they share one set of names.
        func family(_ thing: DescribedThing) -> Kind { thing.kind == .relationship ? .attribute : thing.kind }
        func item(_ thing: DescribedThing) -> NameMatch.Item {
            NameMatch.Item(
                name: thing.kind == .model ? "" : thing.name, identifier: thing.renamingIdentifier)
        }
        var result = [Int?](repeating: nil, count: new.count)
        let older = Dictionary(grouping: old.indices) { family(old[$0]) }
        for (kind, newer) in Dictionary(grouping: new.indices, by: { family(new[$0]) }) {
            let before = older[kind] ?? []
            let match = NameMatch(old: before.map { item(old[$0]) }, new: newer.map { item(new[$0]) })
            for (index, position) in zip(newer, match.oldPositions) {
                guard let position, old[before[position]].kind == new[index].kind else { continue }
                result[index] = before[position]
            }
        }
        return result
    }

    private static func facets(
        from old: [(name: String, value: String)], to new: [(name: String, value: String)]
    ) -> [Facet] {
        let before = Dictionary(old.map { ($0.name, $0.value) }) { _, last in last }
        let after = Dictionary(new.map { ($0.name, $0.value) }) { _, last in last }
        var names: [String] = []
        for name in new.map(\.name) + old.map(\.name) where !names.contains(name) { names.append(name) }
        return names.compactMap { name in
            before[name] == after[name] ? nil : Facet(name: name, before: before[name], after: after[name])
        }
    }

    /// The former names, as a picture needs them: by the names of entities, the entity's former name under an empty
    /// text, and the former names of its properties under their names.
    package var formerNames: [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        for change in changes {
            guard let formerName = change.formerName else { continue }
            result[change.owner ?? change.name, default: [:]][change.owner == nil ? "" : change.name] = formerName
        }
        return result
    }
}
