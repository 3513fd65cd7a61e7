/// Which composites differ between two versions of a model, with all within them.
struct CompositeDifference {
    private var changedNames: Set<String> = []

    /// Compares the composites of two versions.
    init(from old: Model, to new: Model) {
        if old.composites.isEmpty && new.composites.isEmpty { return }
        let before = Self.unplaced(old.composites)
        let after = Self.unplaced(new.composites)
        var users: [String: [String]] = [:]
        for composite in old.composites + new.composites {
            for name in composite.attributes.compactMap(\.compositeName) {
                users[name, default: []].append(composite.name)
            }
        }
        var pending = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        while let name = pending.popFirst() {
            changedNames.insert(name)
            pending.formUnion((users[name] ?? []).filter { !changedNames.contains($0) })
        }
    }

    /// Returns whether an entity declares an attribute of a composite that differs.
    func concerns(_ entity: Entity) -> Bool {
        if changedNames.isEmpty { return false }
        return entity.attributes.contains { $0.compositeName.map { changedNames.contains($0) } ?? false }
    }

    /// The attributes of composites without their places, by the composites' names.
    private static func unplaced(_ composites: [Composite]) -> [String: [Attribute]] {
        func unplaced(_ attribute: Attribute) -> Attribute {
            var attribute = attribute
            attribute.location = SourceLocation(file: "")
            attribute.userInfo = UserInfo()
            return attribute
        }
        return Dictionary(composites.map { ($0.name, $0.attributes.map(unplaced)) }) { first, _ in first }
    }
}
