import RandomNumbers

/// Changes models in the way that people, merges and other programs break them: by elements and attributes.
struct ModelMutator {
    var generator: SeededGenerator
    /// Where elements and attributes are taken from.
    let trees: [ModelTree]
    private let values: [String: [String]]
    private let names: [String]

    static let hostile = [
        "", " ", "YES", "NO", "0", "-1", "1", "99999999999999999999", "1e999", "nan", "0.1", "\u{0301}", "🦁", "日本語",
        "class", "Type", "id", "values", "SELECT", "rowid", "a.b", "a b", "$", "`", "\"", "a'b", "--", ";", "/*",
        "\\(1)",
        "\"\"\"", "#\"", "Integer 16", "String", "Date", "Composite", "Transformable", "Undefined", "Binary", "RTree",
        "Cascade", "Deny", "self == 1", "(", "now()", "count:(a)",
    ]

    init(seed: UInt64, trees: [ModelTree]) {
        generator = SeededGenerator(seed: seed)
        self.trees = trees
        var values: [String: Set<String>] = [:]
        func gather(_ tree: ModelTree) {
            for attribute in tree.attributes { values[attribute.name, default: []].insert(attribute.value) }
            tree.children.forEach(gather)
        }
        trees.forEach(gather)
        self.values = values.mapValues { $0.sorted() }
        names = values.keys.sorted()
    }

    mutating func anyTree() -> ModelTree { trees[Int.random(in: trees.indices, using: &generator)] }

    /// A tree with one to six changes.
    mutating func mutation(of tree: ModelTree) -> ModelTree {
        var tree = tree
        for _ in 0..<Int.random(in: 1...6, using: &generator) { mutate(&tree) }
        return tree
    }

    mutating func mutate(_ tree: inout ModelTree) {
        let place = Int.random(in: 0..<tree.count, using: &generator)
        switch Int.random(in: 0..<15, using: &generator) {
        case 0: tree.change(at: place) { remove(&$0.children) }
        case 1: tree.change(at: place) { remove(&$0.attributes) }
        case 2: tree.change(at: place) { $0.children.shuffle(using: &generator) }
        case 3:
            tree.change(at: place) { tree in
                if let child = tree.children.randomElement(using: &generator) { tree.children.append(child) }
            }
        case 4:
            let moved = tree.element(at: Int.random(in: 0..<tree.count, using: &generator))
            if tree.count + moved.count < 2000 { tree.change(at: place) { $0.children.append(moved) } }
        case 5:
            let other = anyTree()
            let grafted = other.element(at: Int.random(in: 0..<other.count, using: &generator))
            if tree.count + grafted.count < 2000 { tree.change(at: place) { $0.children.append(grafted) } }
        case 6:
            let name = names[Int.random(in: names.indices, using: &generator)]
            let value = value(for: name)
            tree.change(at: place) { $0[name] = value }
        case 7, 8: addUserInfo(to: &tree, at: place)
        case 9: addDerivedAttribute(to: &tree)
        default:
            let names = tree.element(at: place).attributes.map(\.name)
            guard let name = names.randomElement(using: &generator) else { return }
            let value = value(for: name)
            tree.change(at: place) { $0[name] = value }
        }
    }

    private mutating func value(for name: String) -> String {
        let hostile = Self.hostile[Int.random(in: Self.hostile.indices, using: &generator)]
        guard let known = values[name]?.randomElement(using: &generator) else { return hostile }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1, 2: return known
        case 3: return frayed(known, hostile)
        default: return hostile
        }
    }

    /// Returns a value with a part that is missing, doubled or replaced, like a mistyped expression or predicate.
    private mutating func frayed(_ value: String, _ other: String) -> String {
        let characters = Array(value)
        let start = Int.random(in: 0...characters.count, using: &generator)
        let end = Int.random(in: start...characters.count, using: &generator)
        let part = String(characters[start..<end])
        let middle = [other, "", part + part][Int.random(in: 0..<3, using: &generator)]
        return String(characters[..<start]) + middle + String(characters[end...])
    }

    private mutating func remove<Element>(_ elements: inout [Element]) {
        guard let index = elements.indices.randomElement(using: &generator) else { return }
        elements.remove(at: index)
    }
}
