import DataModel

extension ModelItem {
    /// The name as editors show it.
    var name: String {
        switch self {
        case .entity(let name), .property(let name, _), .composite(let name), .fetchRequest(let name),
            .configuration(let name), .index(let name, _):
            name
        case .constraint(let names, _): names.joined(separator: "+")
        case .model: ""
        }
    }

    /// The name of the part that it is in.
    var container: String? {
        switch self {
        case .property(_, let owner), .index(_, let owner), .constraint(_, let owner): owner
        case .entity, .composite, .fetchRequest, .configuration, .model: nil
        }
    }

    /// The kind of the protocol.
    var symbolKind: Int {
        switch self {
        case .entity: 5
        case .property: 8
        case .composite: 23
        case .fetchRequest: 12
        case .configuration: 3
        case .model: 2
        case .index, .constraint: 20
        }
    }
}

/// A place in a text where a part is named.
struct Occurrence: Hashable {
    var item: ModelItem
    /// The bytes of the name.
    var range: Range<Int>
    var isDeclaration = false
    /// The position of the element in the document.
    var element: Int
}
