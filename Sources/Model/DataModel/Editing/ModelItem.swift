/// A named part of a model, as edits and references identify it.
public enum ModelItem: Sendable, Hashable {
    case entity(String)
    /// An attribute, a relationship or a fetched property that an entity or a composite declares itself.
    case property(String, of: String)
    case index(String, of: String)
    /// The constraint of an entity with exactly these properties, in this order.
    case constraint([String], of: String)
    case fetchRequest(String)
    case composite(String)
    case configuration(String)
    /// The model itself, for its `userInfo`.
    case model
}

extension ModelItem: CustomStringConvertible {
    /// The item as messages name it: `entity 'Post'`, `'Post.title'`.
    public var description: String {
        switch self {
        case .entity(let name): "entity '\(name)'"
        case .property(let name, let owner): "'\(owner).\(name)'"
        case .index(let name, let owner): "index '\(name)' of '\(owner)'"
        case .constraint(let names, let owner): "constraint (\(names.joined(separator: ", "))) of '\(owner)'"
        case .fetchRequest(let name): "fetch request '\(name)'"
        case .composite(let name): "composite '\(name)'"
        case .configuration(let name): "configuration '\(name)'"
        case .model: "the model"
        }
    }
}
