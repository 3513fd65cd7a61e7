import SystemFoundation

/// The storage of an attribute whose type is not one of the store's own. Generated code creates it.
@_spi(Generated) public struct AttributeCoding: Sendable {
    let required: any ValueCoding.Type
    let optional: any ValueCoding.Type
    var isRawValue = false
    /// The layout of a composite's columns.
    var composite: CompositeLayout?
    /// The default of the model if it is not a valid value.
    var invalidDefault: InvalidDefault?

    /// Returns the coding of a column that holds the raw value.
    public static func rawValue<Value: RawRepresentable & Equatable & SendableMetatype>(_ type: Value.Type) -> Self
    where Value.RawValue: StoredRawValue {
        AttributeCoding(RawValueCoding<Value>.self, isRawValue: true)
    }

    /// Returns the coding of a column that holds the raw value, for an attribute with a default in the model.
    public static func rawValue<Value: RawRepresentable & Equatable & SendableMetatype>(
        _ type: Value.Type, default rawValue: Value.RawValue
    ) -> Self where Value.RawValue: StoredRawValue {
        var coding = Self.rawValue(type)
        if Value(rawValue: rawValue) == nil {
            coding.invalidDefault = InvalidDefault(value: "\(rawValue)", type: "\(type)")
        }
        return coding
    }

    /// Returns the coding of a column that holds the raw value. A raw value without a case is read as a certain case.
    public static func rawValue<Unknown: UnknownRawValue>(orUnknown unknown: Unknown.Type) -> Self {
        AttributeCoding(UnknownRawValueCoding<Unknown>.self, isRawValue: true)
    }

    /// Returns the coding of a column that holds the raw value, for an attribute with a default in the model, which
    /// must have a case. A raw value without a case is read as a certain case.
    public static func rawValue<Unknown: UnknownRawValue>(
        orUnknown unknown: Unknown.Type, default rawValue: Unknown.Value.RawValue
    ) -> Self {
        var coding = Self.rawValue(orUnknown: unknown)
        coding.invalidDefault = Self.rawValue(Unknown.Value.self, default: rawValue).invalidDefault
        return coding
    }

    /// Returns the coding of a column that holds JSON in a blob.
    public static func json<Value: Codable & Equatable & SendableMetatype>(_ type: Value.Type) -> Self {
        AttributeCoding(JSONCoding<Value>.self)
    }

    /// Returns the coding of a column that holds JSON in text.
    public static func jsonText<Value: Codable & Equatable & SendableMetatype>(_ type: Value.Type) -> Self {
        AttributeCoding(JSONTextCoding<Value>.self)
    }

    /// Returns the coding of a column that holds JSON in text, for an attribute with a default in the model.
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

    /// Returns the coding of a column that holds the result of a transformer.
    public static func transformed<Transformer: AttributeTransformer & SendableMetatype>(
        by transformer: Transformer.Type
    ) -> Self {
        AttributeCoding(TransformedCoding<Transformer>.self)
    }

    /// Returns the coding of a value that several columns hold.
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
