import DataModel

/// Changes of elements that have a meaning for Ashlar beyond Core Data's format. Hardly any real model has them.
extension ModelMutator {
    private static let userInfoKeys =
        UserInfo.keys.sorted() + ["", ".tokenizer", ".weights", ".prefixes"].map { "\(UserInfo.indexKey).NAME\($0)" }

    private static let userInfoValues = [
        "fulltext", "lossless", "json", "Mood", "Animal.Diet", "PaletteTransformer", "unicode61", "porter", "trigram",
        "2, 3", "1000", "10, 1", "-1", "0", "1.5", "YES", "2001-01-01", "text",
    ]

    /// Adds an entry with a key of Ashlar to an element, or to one that may have it.
    mutating func addUserInfo(to tree: inout ModelTree, at place: Int) {
        let places = Bool.random(using: &generator) ? tree.places(named: ["entity", "attribute"]) : []
        let place = places.randomElement(using: &generator) ?? place
        var key = Self.userInfoKeys[Int.random(in: Self.userInfoKeys.indices, using: &generator)]
        key = key.replacing("NAME", with: anyName(["fetchIndex"], in: tree))
        let entry = ModelTree(
            name: "entry",
            attributes: [.init(name: "key", value: key), .init(name: "value", value: userInfoValue(tree))])
        tree.change(at: place) { $0.children.append(ModelTree(name: "userInfo", children: [entry])) }
    }

    private mutating func userInfoValue(_ tree: ModelTree) -> String {
        let values = Bool.random(using: &generator) ? Self.userInfoValues : Self.hostile
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            let count = Int.random(in: 1...3, using: &generator)
            return (0..<count).map { _ in anyName(["entity", "attribute", "relationship"], in: tree) }
                .joined(separator: ", ")
        case 1:
            let codes = Diagnostic.Code.allCases
            return codes[Int.random(in: codes.indices, using: &generator)].rawValue
        default: return values[Int.random(in: values.indices, using: &generator)]
        }
    }

    /// Adds a derived attribute, derived from existing properties, to an entity.
    mutating func addDerivedAttribute(to tree: inout ModelTree) {
        guard let place = tree.places(named: ["entity"]).randomElement(using: &generator) else { return }
        let attribute = ModelTree(
            name: "attribute",
            attributes: [
                .init(name: "name", value: "derived\(Int.random(in: 0..<10, using: &generator))"),
                .init(name: "optional", value: "YES"),
                .init(name: "attributeType", value: attributeType()),
                .init(name: "derived", value: "YES"),
                .init(name: "derivationExpression", value: derivation(tree)),
            ])
        tree.change(at: place) { $0.children.append(attribute) }
    }

    private mutating func attributeType() -> String {
        let types = ["String", "Integer 64", "Integer 16", "Double", "Decimal", "Date", "Boolean", "UUID", "Binary"]
        return types[Int.random(in: types.indices, using: &generator)]
    }

    private mutating func derivation(_ tree: ModelTree) -> String {
        let attribute = anyName(["attribute"], in: tree)
        let relationship = anyName(["relationship"], in: tree)
        let other = anyName(["relationship"], in: tree)
        let forms = [
            attribute, "canonical:(\(attribute))", "uppercase:(\(attribute))", "lowercase:(\(attribute))", "now()",
            "\(relationship).\(attribute)", "canonical:(\(relationship).\(attribute))", "\(relationship).@count",
            "\(relationship).\(attribute).@sum", "\(relationship).\(other).\(attribute)",
            "\(relationship).\(other).@count", "\(attribute) + 1", "@count", "\(relationship).",
        ]
        return forms[Int.random(in: forms.indices, using: &generator)]
    }

    /// The name of one of the model's elements of some kinds.
    private mutating func anyName(_ kinds: Set<String>, in tree: ModelTree) -> String {
        guard let place = tree.places(named: kinds).randomElement(using: &generator) else { return "none" }
        return tree.element(at: place)["name"] ?? ""
    }
}

extension ModelTree {
    /// The positions of the elements of some kinds, in the order of the document.
    func places(named names: Set<String>) -> [Int] {
        var places: [Int] = []
        var position = 0
        func visit(_ tree: ModelTree) {
            if names.contains(tree.name) { places.append(position) }
            position += 1
            tree.children.forEach(visit)
        }
        visit(self)
        return places
    }
}
