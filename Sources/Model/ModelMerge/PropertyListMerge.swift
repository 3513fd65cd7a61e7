/// Two edits of a property list as one, such as of the `.xccurrentversion`, which names the current version.
package struct PropertyListMerge: Sendable {
    /// The merged list.
    package private(set) var result: ModelTree
    package private(set) var conflicts: [MergeConflict] = []

    /// Merges two lists that were made from one, which is nil if there never was any. The result is nil if a root is
    /// not a dictionary.
    package init?(base: ModelTree?, ours: ModelTree, theirs: ModelTree) {
        guard let own = Self.named(ours), let other = Self.named(theirs) else { return nil }
        let merge = ModelMerge(base: base.flatMap(Self.named), ours: own, theirs: other)
        result = Self.listed(merge.result)
        conflicts = merge.conflicts
    }

    /// The list with each value within an element that has its key for a name.
    private static func named(_ list: ModelTree) -> ModelTree? {
        guard list.name == "plist", list.children.count == 1, list.children[0].name == "dict" else { return nil }
        var result = list
        let parts = list.children[0].children
        guard parts.count % 2 == 0 else { return nil }
        result.children[0].children = []
        for position in stride(from: 0, to: parts.count, by: 2) {
            guard parts[position].name == "key" else { return nil }
            var entry = ModelTree(
                "key", [ModelTree.Attribute("name", parts[position].text)], children: [parts[position + 1]])
            entry.comments = parts[position].comments
            result.children[0].children.append(entry)
        }
        return result
    }

    private static func listed(_ list: ModelTree) -> ModelTree {
        var result = list
        result.children[0].children = list.children[0].children.flatMap { entry in
            var key = ModelTree("key")
            key.text = entry["name"] ?? ""
            key.comments = entry.comments
            // Values of two types are two elements; one stays.
            return [key] + entry.children.prefix(1)
        }
        return result
    }
}
