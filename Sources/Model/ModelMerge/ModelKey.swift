/// The key that distinguishes an element from its siblings.
struct ModelKey: Hashable {
    /// The element's name.
    var element: String
    /// Its own name, or its content if it has none.
    var name: String
    /// Its number among elements with the same name.
    var number = 0

    init(_ element: String, _ name: String) { (self.element, self.name) = (element, name) }

    init(_ tree: ModelTree) {
        let name =
            switch tree.name {
            case "entry": tree["key"]
            case "constraint", "index": tree["value"]
            case "uniquenessConstraint", "compoundIndex":
                tree.children.compactMap { $0["value"] }.joined(separator: ", ")
            // There is only one, and nothing refers to it by name.
            case "fetchRequest" where tree["name"] == nil || tree["name"] == "fetchedPropertyFetchRequest": ""
            default: tree["name"]
            }
        self.init(tree.name, name ?? "")
    }
}

/// Sibling elements, by their keys.
struct KeyedElements {
    private(set) var keys: [ModelKey] = []
    private var elements: [ModelKey: ModelTree] = [:]

    init(_ trees: [ModelTree]) {
        var counts: [ModelKey: Int] = [:]
        for tree in trees {
            var key = ModelKey(tree)
            let count = counts[key, default: 0]
            counts[key] = count + 1
            key.number = count
            keys.append(key)
            elements[key] = tree
        }
    }

    subscript(key: ModelKey) -> ModelTree? { elements[key] }
}

extension ModelTree {
    /// The elements within whose order matters.
    var orderedParts: [ModelTree] { children.filter(\.hasPlace) }

    /// The elements within that are identified by their names.
    var unorderedParts: [ModelTree] { children.filter { !$0.hasPlace } }

    private var hasPlace: Bool { ["fetchIndexElement", "constraint", "index"].contains(name) }

    /// Whether the element describes a place in the diagram.
    var isLayout: Bool { name == "element" }

    /// Returns whether an attribute has no meaning for the model: the version of Xcode, and places in the diagram.
    func hasNoMeaning(_ attribute: String) -> Bool {
        switch name {
        case "model": ["lastSavedToolsVersion", "systemVersion"].contains(attribute)
        case "element": true
        default: false
        }
    }

    /// The greater of two numbers with dots; else the first.
    static func later(_ first: String, _ second: String) -> String {
        func numbers(_ text: String) -> [Int]? {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            return parts.contains(nil) ? nil : parts.compactMap(\.self)
        }
        guard let left = numbers(first), let right = numbers(second) else { return first }
        return left.lexicographicallyPrecedes(right) ? second : first
    }

    /// The element with a comment before it that names a conflict.
    func noting(_ conflict: MergeConflict) -> ModelTree {
        var result = self
        result.comments.append(conflict.comment)
        return result
    }

    /// Elements in a few words: the values of their attributes, without the attributes' names.
    static func summary(_ elements: [ModelTree]) -> String {
        elements.map { element in
            let values = element.attributes.map(\.value).joined(separator: " ")
            let inner = element.children.isEmpty ? "" : " (\(summary(element.children)))"
            return values + inner
        }.joined(separator: ", ")
    }
}
