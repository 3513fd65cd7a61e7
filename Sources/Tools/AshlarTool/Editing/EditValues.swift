import ArgumentParser
import DataModel
import Foundation

/// An entity or a composite, and the name of a property of it.
struct PropertyPath: ExpressibleByArgument {
    var owner: String
    var name: String

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        (owner, name) = (parts[0], parts[1])
    }
}

/// An attribute of the XML format with its value.
struct AttributeValue: ExpressibleByArgument {
    var value: ModelEdit.Value

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        value = ModelEdit.Value(name: parts[0], value: parts[1])
    }
}

extension Relationship.DeletionRule: ExpressibleByArgument {
    /// Reads a rule in any case, also with a hyphen for the space.
    public init?(argument: String) {
        let wanted = argument.lowercased().replacing("-", with: " ")
        guard let rule = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else { return nil }
        self = rule
    }
}

/// A property of an index with its order.
struct OrderedProperty: ExpressibleByArgument {
    var element: ModelEdit.IndexElement

    init?(argument: String) {
        guard let element = ModelEdit.IndexElement(parsing: argument) else { return nil }
        self.element = element
    }
}

extension AttributeType {
    /// The types by those of Swift that have other names.
    private static let swiftNames: [String: AttributeType] = [
        "int": .integer64, "int16": .integer16, "int32": .integer32, "int64": .integer64, "bool": .boolean,
        "data": .binary, "url": .uri,
    ]

    /// The type with a name of the XML format, in any case and with or without its space, or of Swift; or the
    /// composite.
    static func named(
        _ name: String, _ editor: ModelEditor
    ) throws -> (type: AttributeType, composite: String?) {
        func folded(_ text: String) -> String { text.lowercased().filter { $0 != " " } }
        let types = plain
        if let type = types.first(where: { folded($0.rawValue) == folded(name) }) { return (type, nil) }
        if let type = swiftNames[folded(name)] { return (type, nil) }
        if case .composite(let composite)? = try? editor.item(named: name) { return (.composite, composite) }
        let names = types.map(\.rawValue)
        let known = names + editor.model.composites.map(\.name)
        let similar = Spelling.closest(to: name, among: known).map { " Did you mean '\($0)'?" } ?? ""
        throw ValidationError("There is no type '\(name)'.\(similar) The types are \(names.joined(separator: ", ")).")
    }

    /// The attribute of the XML format with a default of the type. A date is in ISO 8601.
    func defaultValue(_ text: String) throws -> ModelEdit.Value {
        if self != .date { return ModelEdit.Value(name: "defaultValueString", value: text) }
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("'\(text)' is not a date. Write 2026-01-31T09:30:00Z.")
        }
        // Seconds since 2001.
        return ModelEdit.Value(
            name: "defaultDateTimeInterval", value: String(Int(date.timeIntervalSinceReferenceDate)))
    }
}
