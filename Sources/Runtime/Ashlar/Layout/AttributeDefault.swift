import SystemFoundation

/// A default in the model that is not a value of the attribute's type in the program.
struct InvalidDefault: Sendable, Hashable {
    /// The raw value or the JSON in the model.
    var value: String
    /// The Swift type.
    var type: String
}

// These functions are public, because a default argument of a public initialiser can use only declarations that are
// visible to all importers of its module.

/// Defaults in the model for attributes with types of the program. Generated code calls these functions.
extension RawRepresentable {
    /// Returns the value of a raw value that is the default of an attribute in the model. If there is none, opening a
    /// container throws ``StoreError/invalidDefault(entity:property:value:type:)``, and creating an object before that
    /// stops the program.
    public static func _ashlarDefault(rawValue: RawValue, of attribute: StaticString) -> Self {
        guard let value = Self(rawValue: rawValue) else {
            preconditionFailure(
                "The model gives the attribute \(attribute) the default \(rawValue), which is not a raw value of \(Self.self)"
            )
        }
        return value
    }
}

extension Decodable {
    /// Returns the value of JSON that is the default of an attribute in the model. If the JSON is invalid, opening a
    /// container throws ``StoreError/invalidDefault(entity:property:value:type:)``, and creating an object before that
    /// stops the program.
    public static func _ashlarDefault(json: String, of attribute: StaticString) -> Self {
        do {
            return try JSONDecoder().decode(Self.self, from: Data(json.utf8))
        } catch {
            preconditionFailure(
                "The model gives the attribute \(attribute) the default \(json), which is not JSON for \(Self.self): "
                    + "\(error)")
        }
    }
}
