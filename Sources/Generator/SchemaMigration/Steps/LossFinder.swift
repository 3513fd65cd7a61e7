import DataModel
import RelationalSchema

/// Finds the data that a migration deletes and that the model does not name: entities, values, links and NULLs.
///
/// A loss that the model names is intended. An unnamed one may be a mistake, and is reported as one if there is
/// something new of the same kind, which may be the old thing renamed.
final class LossFinder {
    let match: ModelMatch
    /// Whether a person reviews the version before it is released: then each loss is an error.
    let isReviewed: Bool
    private(set) var diagnostics = Diagnostics()

    var old: Version { match.old }
    var new: Version { match.new }

    init(_ finder: StepFinder, isReviewed: Bool) {
        match = finder.match
        self.isReviewed = isReviewed
        var removed: Set<String> = []
        var lost: [String: [LostProperty]] = [:]
        // The names of removed old properties that each new entity may name.
        var gone: [String: Set<String>] = [:]
        for step in finder.steps {
            switch step {
            case .removeEntity(let name):
                removed.insert(name)
                findLoss(ofEntity: name)
            case .removeAttribute(let key), .removeRelationship(let key):
                guard let survivor = LostProperty.survivor(of: key, match) else { continue }
                gone[survivor, default: []].formUnion(LostProperty.names(of: key))
                guard let property = LostProperty(key, of: survivor, match, used: finder.used) else { continue }
                lost[property.entityName, default: []].append(property)
            case .changeOptionality(let key, isOptional: false): findReplacedNulls(of: key)
            default: continue
            }
        }
        for name in new.names {
            findLosses(of: lost[name] ?? [], from: name)
            findDuplicates(of: name)
            guard let entity = new.nodes[name]?.entity else { continue }
            reportStale(entity.userInfo, gone[name] ?? [], "a removed property of '\(name)'")
        }
        reportStale(new.schema.graph.model.userInfo, removed, "an entity that this version removed")
    }

    func report(
        _ code: Diagnostic.Code, at location: SourceLocation, _ message: String, notes: [String] = [],
        fixes: [Diagnostic.Fix]
    ) {
        var diagnostic = Diagnostic(code, at: location, message, notes: notes, fixes: fixes)
        if isReviewed { diagnostic.severity = .error }
        diagnostics.report(diagnostic)
    }

    /// A fix that adds names to those that are already named as removed.
    func naming(_ names: [String], in userInfo: UserInfo, at location: SourceLocation) -> Diagnostic.Fix {
        let all = userInfo.names(UserInfo.removedKey) + names
        let words = names.map { "'\($0)'" }.joined(separator: ", ")
        return .settingEntry(
            UserInfo.removedKey, to: all.joined(separator: ", "), of: location,
            "Say that \(words) \(names.count == 1 ? "is" : "are") to be deleted")
    }

    /// A note on how to keep data when only the author can decide where it belongs.
    private var scriptNotes: [String] {
        let model = new.schema.graph.model
        // Scripts are not run in a model with configurations.
        if !model.configurations.isEmpty { return [] }
        return ["To move it elsewhere first, write SQL in the bundle's file '\(model.name).before.sql'"]
    }

    // MARK: Entities

    private func findLoss(ofEntity name: String) {
        let model = new.schema.graph.model
        guard let node = old.nodes[name], !node.entity.isAbstract,
            !model.userInfo.names(UserInfo.removedKey).contains(name)
        else { return }
        let naming = naming([name], in: model.userInfo, at: model.location)
        let deletion = "its objects will be deleted" + dependents(ofEntity: name)
        let candidates = new.names.compactMap { new.nodes[$0]?.entity }.filter { isLike(node, $0) }
        guard let first = candidates.first else {
            report(
                .dataLoss, at: model.location, "Entity '\(name)' is gone, and \(deletion)", notes: scriptNotes,
                fixes: [naming])
            return
        }
        let renamings = candidates.prefix(3).map {
            Diagnostic.Fix.setting(
                "elementID", to: node.entity.canonicalName, of: $0.location,
                "Say that '\($0.name)' is '\(name)' renamed")
        }
        report(
            .possibleRenaming, at: first.location,
            "Entity '\(first.name)' is new and '\(name)', which is much like it, is gone: \(deletion)",
            notes: [
                "Give '\(first.name)' the renaming identifier '\(node.entity.canonicalName)' to keep them: "
                    + "elementID=\"\(node.entity.canonicalName)\""
            ],
            fixes: renamings + [naming])
    }

    /// The objects that a deletion also deletes, as the end of a sentence; empty if there are none.
    private func dependents(ofEntity name: String) -> String {
        var names: [String] = []
        for binding in match.bindings(toDeleted: [name]) where binding.isCascading {
            let name = "'\(binding.key.entityName)'"
            if !names.contains(name) { names.append(name) }
        }
        return names.isEmpty
            ? "" : ", with the objects of \(names.joined(separator: ", ")) that must lead to one of them"
    }

    /// Returns whether a new entity has at least half of the properties of one that was removed.
    private func isLike(_ node: Version.Node, _ candidate: Entity) -> Bool {
        guard match.oldEntityNames[candidate.name] == nil, candidate.renamingIdentifier == nil,
            candidate.isAbstract == node.entity.isAbstract, let properties = new.nodes[candidate.name]?.properties
        else { return false }
        let names = Set(node.properties.map(\.name))
        let common = properties.count { names.contains($0.name) }
        return common > 0 && common * 2 >= max(names.count, properties.count)
    }

    // MARK: Properties

    private func findLosses(of properties: [LostProperty], from entityName: String) {
        guard let entity = new.nodes[entityName]?.entity else { return }
        let named = Set(entity.userInfo.names(UserInfo.removedKey))
        var losses: [LostProperty] = []
        for property in properties where named.isDisjoint(with: LostProperty.names(of: property.key)) {
            if let inverse = property.inverse, isNamed(inverse) { continue }
            let candidates = property.candidates(match)
            let likely = candidates.filter(property.isLike)
            if !likely.isEmpty {
                report(property, of: entity, likely)
            } else if candidates.isEmpty {
                losses.append(property)
            } else {
                reportLoss(of: property, entity, candidates)
            }
        }
        if losses.isEmpty { return }
        let keys = losses.map { "'\($0.key)'" }.joined(separator: ", ")
        report(
            .dataLoss, at: entity.location,
            "\(keys) \(losses.count == 1 ? "is" : "are") gone, and the stored data will be deleted", notes: scriptNotes,
            fixes: [naming(losses.map(\.key.name), in: entity.userInfo, at: entity.location)])
    }

    /// Returns whether the loss is named on the other side.
    private func isNamed(_ inverse: PropertyName) -> Bool {
        match.newEntityNames[inverse.entityName].flatMap { new.nodes[$0]?.entity.userInfo.names(UserInfo.removedKey) }?
            .contains(inverse.name) ?? false
    }

    /// Reports a removed property, if the names of the new properties of its type have nothing in common with its own.
    private func reportLoss(of lost: LostProperty, _ entity: Entity, _ candidates: [Version.Property]) {
        report(
            .dataLoss, at: entity.location, "'\(lost.key)' is gone, and the stored data will be deleted",
            notes: scriptNotes,
            fixes: [naming([lost.key.name], in: entity.userInfo, at: entity.location)]
                + renamings(of: lost, to: candidates))
    }

    private func renamings(of lost: LostProperty, to candidates: [Version.Property]) -> [Diagnostic.Fix] {
        let identifier = lost.property.identifier ?? lost.key.name
        return candidates.prefix(3).map {
            .setting(
                "elementID", to: identifier, of: $0.location, "Say that '\($0.name)' is '\(lost.key.name)' renamed")
        }
    }

    private func report(_ lost: LostProperty, of entity: Entity, _ candidates: [Version.Property]) {
        let first = candidates[0]
        let word = lost.property.relationship == nil ? "Attribute" : "Relationship"
        let identifier = lost.property.identifier ?? lost.key.name
        let renamings = renamings(of: lost, to: candidates)
        report(
            .possibleRenaming, at: first.location,
            "\(word) '\(first.key)' is new and '\(lost.key)', which has the same type, is gone: the stored data will "
                + "be deleted",
            notes: [
                "Give '\(first.name)' the renaming identifier '\(identifier)' to keep it: elementID=\"\(identifier)\""
            ],
            fixes: renamings + [naming([lost.key.name], in: entity.userInfo, at: entity.location)])
    }

    // MARK: NULL

    private func findReplacedNulls(of key: PropertyName) {
        guard let attribute = new.property(key)?.attribute, !attribute.isDerived,
            attribute.userInfo[UserInfo.migrationDefaultKey] == nil, (try? attribute.defaultValue()) != nil
        else { return }
        let text = attribute.defaultValueString ?? attribute.defaultDateTimeInterval ?? ""
        report(
            .dataLoss, at: attribute.location,
            "Attribute '\(key)' is required now, and objects without a value will get its default",
            fixes: [
                .settingEntry(
                    UserInfo.migrationDefaultKey, to: text, of: attribute.location,
                    "Say that objects of older versions are to get '\(text)'")
            ])
    }

    // MARK: Duplicates

    /// A store with duplicates is refused unless the model marks them for deletion.
    private func findDuplicates(of entityName: String) {
        guard let oldName = match.oldEntityNames[entityName], let node = new.nodes[entityName] else { return }
        for constraint in node.entity.uniquenessConstraints {
            let sources = constraint.propertyNames.map { match.oldProperty($0, of: entityName)?.name }
            let names = Set(sources.compactMap { $0 })
            if names.count < sources.count || isUnique(names, in: oldName) { continue }
            let name = constraint.propertyNames.joined(separator: "+")
            let named = node.entity.userInfo.names(UserInfo.deletesDuplicatesKey)
            if named.contains(name) { continue }
            var diagnostic = Diagnostic(
                .migrationNotInferrable, at: constraint.location,
                "'\(entityName)' is unique by \(constraint.propertyNames.joined(separator: ", ")) now: the migration "
                    + "fails where two objects have the same",
                notes: ["Where objects with the same values can be deleted but for the first, say so"],
                fixes: [
                    .settingEntry(
                        UserInfo.deletesDuplicatesKey, to: (named + [name]).joined(separator: ", "),
                        of: node.entity.location, "Delete all but the first of such objects")
                ])
            diagnostic.severity = .warning
            diagnostics.report(diagnostic)
        }
    }

    private func isUnique(_ names: Set<String>, in entityName: String) -> Bool {
        var current = old.nodes[entityName]
        while let node = current {
            if node.entity.uniquenessConstraints.contains(where: { Set($0.propertyNames).isSubset(of: names) }) {
                return true
            }
            current = node.parentName.flatMap { old.nodes[$0] }
        }
        return false
    }

    // MARK: Named losses

    private func reportStale(_ userInfo: UserInfo, _ removed: Set<String>, _ what: String) {
        guard let entry = userInfo.entry(UserInfo.removedKey) else { return }
        let names = userInfo.names(UserInfo.removedKey)
        let left = names.filter { removed.contains($0) }
        if left.count == names.count { return }
        let stale = names.filter { !removed.contains($0) }.map { "'\($0)'" }.joined(separator: ", ")
        diagnostics.report(
            .staleAcknowledgement, at: entry.location,
            "'\(UserInfo.removedKey)' names \(stale), which is not \(what)",
            fixes: [
                left.isEmpty
                    ? .removing(entry.location, isSafe: true, "Remove the entry")
                    : .setting("value", to: left.joined(separator: ", "), of: entry.location, isSafe: true)
            ])
    }
}
