import SystemFoundation

/// How the store keeps an attribute whose values are not of a type of its own; generated code says it.
@_spi(Generated) public struct AttributeCoding: Sendable {
    let required: any ValueCoding.Type
    let optional: any ValueCoding.Type
    var isRawValue = false
    /// The leaves of a composite.
    var composite: CompositeLayout?
    /// The model's default, where it is no value.
    var invalidDefault: InvalidDefault?

    /// The column holds the raw value.
    public static func rawValue<Value: RawRepresentable & Equatable & SendableMetatype>(_ type: Value.Type) -> Self
    where Value.RawValue: StoredRawValue {
        AttributeCoding(RawValueCoding<Value>.self, isRawValue: true)
    }

    /// The column holds the raw value, and the model has a default.
    public static func rawValue<Value: RawRepresentable & Equatable & SendableMetatype>(
        _ type: Value.Type, default rawValue: Value.RawValue
    ) -> Self where Value.RawValue: StoredRawValue {
        var coding = Self.rawValue(type)
        if Value(rawValue: rawValue) == nil {
            coding.invalidDefault = InvalidDefault(value: "\(rawValue)", type: "\(type)")
        }
        return coding
    }

    /// The column holds the raw value, and one that the type does not have is read as a case of it.
    public static func rawValue<Unknown: UnknownRawValue>(orUnknown unknown: Unknown.Type) -> Self {
        AttributeCoding(UnknownRawValueCoding<Unknown>.self, isRawValue: true)
    }

    /// The column holds the raw value, one that the type does not have is read as a case of it, and the model has a
    /// default, which must be one that it has.
    public static func rawValue<Unknown: UnknownRawValue>(
        orUnknown unknown: Unknown.Type, default rawValue: Unknown.Value.RawValue
    ) -> Self {
        var coding = Self.rawValue(orUnknown: unknown)
        coding.invalidDefault = Self.rawValue(Unknown.Value.self, default: rawValue).invalidDefault
        return coding
    }

    /// The column holds JSON in a blob.
    public static func json<Value: Codable & Equatable & SendableMetatype>(_ type: Value.Type) -> Self {
        AttributeCoding(JSONCoding<Value>.self)
    }

    /// The column holds JSON in text.
    public static func jsonText<Value: Codable & Equatable & SendableMetatype>(_ type: Value.Type) -> Self {
        AttributeCoding(JSONTextCoding<Value>.self)
    }

    /// The column holds JSON in text, and the model has a default.
    public static func jsonText<Value: Codable & Equatable & SendableMetatype>(
        _ type: Value.Type, default json: String
    ) -> Self {
        var coding = Self.jsonText(type)
        do {
            _ = try JSONDecoder().decode(type, from: Data(json.utf8))
        } catch {
            coding.invalidDefault = InvalidDefault(value: json, type: "\(type) (\(error))")
        }
        return coding
    }

    /// The column holds what a transformer makes of the value.
    public static func transformed<Transformer: AttributeTransformer & SendableMetatype>(
        by transformer: Transformer.Type
    ) -> Self {
        AttributeCoding(TransformedCoding<Transformer>.self)
    }

    /// The value is made of several columns.
    public static func composite<Value: CompositeValue>(_ type: Value.Type) -> Self {
        AttributeCoding(
            required: CompositeCoding<Value>.self, optional: OptionalCompositeCoding<Value>.self,
            composite: Value._ashlarLayout, invalidDefault: Value._ashlarLayout.invalidDefault)
    }

    private init(
        required: any ValueCoding.Type, optional: any ValueCoding.Type, composite: CompositeLayout,
        invalidDefault: InvalidDefault?
    ) {
        self.invalidDefault = invalidDefault
        self.required = required
        self.optional = optional
        self.composite = composite
    }

    private init<Coding: ValueCoding>(_ coding: Coding.Type, isRawValue: Bool = false) {
        required = coding
        optional = OptionalCoding<Coding>.self
        self.isRawValue = isRawValue
    }
}
