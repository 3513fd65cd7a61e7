/// A part of a version with a name.
enum Symbol: Hashable {
    case entity(String)
    /// An attribute, a relationship or a fetched property, with the entity that declares it.
    case property(String, of: String)
    /// An attribute of a composite.
    case element(String, of: String)
    case composite(String)
    case fetchRequest(String)
    case configuration(String)
    case index(String, of: String)

    var name: String {
        switch self {
        case .entity(let name), .property(let name, _), .element(let name, _), .composite(let name),
            .fetchRequest(let name), .configuration(let name), .index(let name, _):
            name
        }
    }

    /// The name of the part that it is in.
    var container: String? {
        switch self {
        case .property(_, let owner), .element(_, let owner), .index(_, let owner): owner
        default: nil
        }
    }

    /// The kind of the protocol.
    var kind: Int {
        switch self {
        case .entity: 5
        case .property: 8
        case .element: 8
        case .composite: 23
        case .fetchRequest: 12
        case .configuration: 3
        case .index: 20
        }
    }
}

/// A place in a text where a part is named.
struct Occurrence: Hashable {
    var symbol: Symbol
    /// The bytes of the name.
    var range: Range<Int>
    var isDeclaration = false
    /// The position of the element in the document.
    var element: Int
}
