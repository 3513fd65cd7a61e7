import SystemFoundation

/// A default of the model's that is no value of the type that the program gives an attribute.
struct InvalidDefault: Sendable, Hashable {
    /// The raw value or the JSON that the model has.
    var value: String
    /// The Swift type.
    var type: String
}

// Public, because a default argument of a public initialiser can only use what every importer of its module sees.

/// The defaults in the model of attributes with types of the program's own; generated code calls these functions.
extension RawRepresentable {
    /// The value of a raw value that is the model's default of an attribute. Where there is none, opening a container
    /// throws ``StoreError/invalidDefault(entity:property:value:type:)``, and a program that makes an object before
    /// that stops.
    public static func _ashlarDefault(rawValue: RawValue, of attribute: StaticString) -> Self {
        guard let value = Self(rawValue: rawValue) else {
            preconditionFailure(
                "The model gives the attribute \(attribute) the default \(rawValue), which is no raw value of \(Self.self)"
            )
        }
        return value
    }
}

extension Decodable {
    /// The value of JSON that is the model's default of an attribute. Where it is none, opening a container throws
    /// ``StoreError/invalidDefault(entity:property:value:type:)``, and a program that makes an object before that stops.
    public static func _ashlarDefault(json: String, of attribute: StaticString) -> Self {
        do {
            return try JSONDecoder().decode(Self.self, from: Data(json.utf8))
        } catch {
            preconditionFailure(
                "The model gives the attribute \(attribute) the default \(json), which is no JSON of \(Self.self): "
                    + "\(error)")
        }
    }
}
