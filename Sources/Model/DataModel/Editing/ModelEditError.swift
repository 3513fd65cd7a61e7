/// The reason why an edit was refused. Nothing was changed.
public enum ModelEditError: Error, Sendable, Hashable {
    /// The model has no such item; `similar` is the name that was perhaps meant.
    case unknown(String, similar: String?)
    /// The XML format has no such attribute.
    case unknownAttribute(String, of: String, similar: String?)
    /// The model has an item with the name already.
    case exists(String)
    /// A name that is not legal, or reserved.
    case illegalName(String)
    /// Something else in the model needs the item.
    case inUse(ModelItem, by: [String])
    /// The edit has no meaning for the item.
    case notPossible(String)
    /// The model would have an error that it did not have; the text is that of `check`.
    case invalid(String)
    /// The file is not a model that can be read.
    case unreadable(file: String, reason: String)
    /// The file cannot be changed exactly at the place of the edit.
    case notExact(file: String)
}

extension ModelEditError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let item, let similar):
            "The model has no \(item)." + (similar.map { " Did you mean '\($0)'?" } ?? "")
        case .unknownAttribute(let name, let element, let similar):
            "<\(element)> has no attribute '\(name)'." + (similar.map { " Did you mean '\($0)'?" } ?? "")
        case .exists(let item): "The model already has \(item). Choose another name."
        case .illegalName(let name):
            "'\(name)' cannot be a name. Use letters, digits and '_', begin with a letter, and avoid '_ashlar' and "
                + "'sqlite_' at the beginning."
        case .inUse(let item, let users):
            "\(item.description.prefix(1).uppercased() + item.description.dropFirst()) is used by "
                + "\(users.joined(separator: ", ")). Change or remove that first."
        case .notPossible(let reason): reason
        case .invalid(let message): "The edit would make an error: \(message). Nothing was changed."
        case .unreadable(let file, let reason): "\(file) cannot be edited: \(reason). Run 'ashlar check' on it."
        case .notExact(let file): "\(file) cannot be changed exactly there. Make the change by hand."
        }
    }
}
