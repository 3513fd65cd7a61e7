/// Two edits of a model, each made without the other, as one.
///
/// The tree of elements is merged by attributes of XML, so that unknown parts of the format survive. Elements with the
/// same names or renaming identifiers are the same. If both sides changed one thing in two ways, the result has this
/// side's version, with a comment before it that names the conflict.
package struct ModelMerge: Sendable {
    /// The merged model.
    package private(set) var result: ModelTree
    package private(set) var conflicts: [MergeConflict] = []

    /// Merges two models that were made from one, which is nil if there never was any.
    package init(base: ModelTree?, ours: ModelTree, theirs: ModelTree) {
        result = ours
        let base = base ?? ModelTree(ours.name)
        let own = ModelRenames(from: base, to: ours)
        let other = ModelRenames(from: base, to: theirs)
        let renames = merge(own, other)
        let models = (
            renames.applied(to: base), own.completed(by: renames).applied(to: ours),
            other.completed(by: renames).applied(to: theirs)
        )
        result = merge(models.0, models.1, models.2, [])
    }

    /// The names that things have in the merged model.
    private mutating func merge(_ own: ModelRenames, _ other: ModelRenames) -> ModelRenames {
        var result = own
        for (name, theirs) in other.entities.sorted(by: { $0.key < $1.key }) {
            if let ours = own.entities[name], ours != theirs {
                conflicts.append(
                    MergeConflict(place: "entity \(name)", subject: "name", base: name, ours: ours, theirs: theirs))
                pending[ModelKey("entity", ours), default: []].append(conflicts[conflicts.count - 1])
            } else {
                result.entities[name] = theirs
            }
        }
        let properties = other.properties.sorted { ($0.key.entity, $0.key.name) < ($1.key.entity, $1.key.name) }
        for (property, theirs) in properties {
            if let ours = own.properties[property], ours != theirs {
                conflicts.append(
                    MergeConflict(
                        place: "entity \(property.entity), \(property.name)", subject: "name", base: property.name,
                        ours: ours, theirs: theirs))
                let entity = result.entities[property.entity] ?? property.entity
                pending[ModelKey("entity", entity), default: []].append(conflicts[conflicts.count - 1])
            } else {
                result.properties[property] = theirs
            }
        }
        return result
    }

    /// Conflicts that were found before their elements were merged, by the elements.
    private var pending: [ModelKey: [MergeConflict]] = [:]

    // MARK: Elements

    private mutating func merge(
        _ base: ModelTree?, _ ours: ModelTree, _ theirs: ModelTree, _ path: [ModelTree]
    ) -> ModelTree {
        let path = path + [ours]
        var result = ours
        var found = path.count == 2 ? pending[ModelKey(ours)] ?? [] : []
        result.attributes = merge(base, ours, theirs, path, &found)
        if let text = merge(base?.text ?? "", ours.text, theirs.text) {
            result.text = text
        } else {
            found.append(conflict(path, "text", base?.text, ours.text, theirs.text))
        }
        result.children =
            merge(partsOf: base, ours, theirs, path, &found) + merge(childrenOf: base, ours, theirs, path, &found)
        result.comments = Self.union(base?.comments, ours.comments, theirs.comments)
        result.endComments = Self.union(base?.endComments, ours.endComments, theirs.endComments)
        // A merge ignores everything before the outermost element.
        if path.count == 1 {
            result.endComments += found.map(\.comment)
        } else {
            result.comments += found.map(\.comment)
        }
        return result
    }

    /// The value that comes of three; nil for a conflict.
    private func merge<Value: Equatable>(_ base: Value, _ ours: Value, _ theirs: Value) -> Value? {
        ours == theirs || theirs == base ? ours : ours == base ? theirs : nil
    }

    private mutating func merge(
        _ base: ModelTree?, _ ours: ModelTree, _ theirs: ModelTree, _ path: [ModelTree],
        _ found: inout [MergeConflict]
    ) -> [ModelTree.Attribute] {
        var names = ours.attributes.map(\.name)
        for name in theirs.attributes.map(\.name) where !names.contains(name) { names.append(name) }
        return names.compactMap { name in
            let values = (base?[name], ours[name], theirs[name])
            // Attributes that both sides added have no earlier version: an absent one means the format's default, and
            // does not count as the older one.
            let isAdded = base == nil && path.count > 1
            if let value = isAdded && values.1 != values.2 ? nil : merge(values.0, values.1, values.2) {
                return value.map { ModelTree.Attribute(name, $0) }
            }
            if ours.hasNoMeaning(name) {
                return ModelTree.Attribute(name, ModelTree.later(values.1 ?? "", values.2 ?? ""))
            }
            found.append(conflict(path, name, values.0, values.1, values.2))
            return values.1.map { ModelTree.Attribute(name, $0) }
        }
    }

    /// Parts whose order matters are merged as one.
    private mutating func merge(
        partsOf base: ModelTree?, _ ours: ModelTree, _ theirs: ModelTree, _ path: [ModelTree],
        _ found: inout [MergeConflict]
    ) -> [ModelTree] {
        let parts = (base?.orderedParts ?? [], ours.orderedParts, theirs.orderedParts)
        let meanings = (parts.0.map(\.meaning), parts.1.map(\.meaning), parts.2.map(\.meaning))
        guard let merged = merge(meanings.0, meanings.1, meanings.2) else {
            found.append(
                conflict(
                    path, "elements", base == nil ? nil : ModelTree.summary(parts.0), ModelTree.summary(parts.1),
                    ModelTree.summary(parts.2)))
            return parts.1
        }
        return merged == meanings.1 ? parts.1 : parts.2
    }

    private mutating func merge(
        childrenOf base: ModelTree?, _ ours: ModelTree, _ theirs: ModelTree, _ path: [ModelTree],
        _ found: inout [MergeConflict]
    ) -> [ModelTree] {
        let before = KeyedElements(base?.unorderedParts ?? [])
        let own = KeyedElements(ours.unorderedParts)
        let other = KeyedElements(theirs.unorderedParts)
        var kept: [ModelKey: ModelTree] = [:]
        for key in own.keys {
            guard let element = own[key] else { continue }
            if let theirs = other[key] {
                kept[key] = merge(before[key], element, theirs, path)
            } else if let base = before[key] {
                if base.meaning == element.meaning || element.isLayout { continue }
                let conflict = removal(path, base, ours: element, theirs: nil)
                kept[key] = element.noting(conflict)
            } else {
                kept[key] = element
            }
        }
        var order = own.keys.filter { kept[$0] != nil }
        var previous: ModelKey?
        for key in other.keys {
            if kept[key] == nil, own[key] == nil, var element = other[key] {
                if let base = before[key] {
                    if base.meaning == element.meaning || element.isLayout { continue }
                    element = element.noting(removal(path, base, ours: nil, theirs: element))
                }
                kept[key] = element
                // After the element that it follows on the other side.
                let position = previous.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? order.startIndex
                order.insert(key, at: position)
            }
            if kept[key] != nil { previous = key }
        }
        findSplitConstraints(before, own, other, path, &found)
        return order.compactMap { kept[$0] }
    }

    /// Keeps an element that one side removed and the other changed, so that nothing is lost.
    private mutating func removal(
        _ path: [ModelTree], _ base: ModelTree, ours: ModelTree?, theirs: ModelTree?
    ) -> MergeConflict {
        conflict(
            path + [base], "the whole", ModelTree.summary([base]), ours.map { ModelTree.summary([$0]) },
            theirs.map { ModelTree.summary([$0]) })
    }

    /// A constraint is identified by its content: if both sides changed it, the result has both versions.
    private mutating func findSplitConstraints(
        _ before: KeyedElements, _ own: KeyedElements, _ other: KeyedElements, _ path: [ModelTree],
        _ found: inout [MergeConflict]
    ) {
        let kinds = ["uniquenessConstraint", "compoundIndex"]
        let lost = before.keys.filter { kinds.contains($0.element) && own[$0] == nil && other[$0] == nil }
        let first = own.keys.filter { kinds.contains($0.element) && before[$0] == nil && other[$0] == nil }
        let second = other.keys.filter { kinds.contains($0.element) && before[$0] == nil && own[$0] == nil }
        guard !lost.isEmpty, !first.isEmpty, !second.isEmpty else { return }
        func text(_ keys: [ModelKey]) -> String { keys.map(\.name).joined(separator: "; ") }
        found.append(conflict(path, "uniqueness constraint", text(lost), text(first), text(second)))
    }

    private mutating func conflict(
        _ path: [ModelTree], _ subject: String, _ base: String?, _ ours: String?, _ theirs: String?
    ) -> MergeConflict {
        let place = path.dropFirst().map { element in
            let key = ModelKey(element)
            return key.name.isEmpty ? key.element : "\(key.element) \(key.name)"
        }.joined(separator: ", ")
        let result = MergeConflict(place: place, subject: subject, base: base, ours: ours, theirs: theirs)
        conflicts.append(result)
        return result
    }

    /// Comments of both sides, except those that one side removed.
    private static func union(_ base: [String]?, _ ours: [String], _ theirs: [String]) -> [String] {
        let base = base ?? []
        return ours.filter { theirs.contains($0) || !base.contains($0) }
            + theirs.filter { !ours.contains($0) && !base.contains($0) }
    }
}
