public import SystemFoundation

/// Turns the value of a transformable attribute into the bytes that the store keeps, and back.
///
/// A model names a transformer in `valueTransformerName`; the generated code refers to the Swift type of that name, so
/// that a name without a type does not compile. This is Core Data's `NSValueTransformer` with types.
///
///     enum ColorTransformer: AttributeTransformer {
///         static func data(from value: Color) throws -> Data { … }
///         static func value(from data: Data) throws -> Color { … }
///     }
public protocol AttributeTransformer {
    /// The type of the attribute. Values are compared to find out what changed.
    associatedtype Value: Sendable, Equatable

    /// The bytes to store. An error fails the save and names the object and the attribute.
    static func data(from value: Value) throws -> Data

    /// The value that the bytes stand for. An error is one of that property alone: see ``ModelContext/invalidValues``.
    static func value(from data: Data) throws -> Value
}
