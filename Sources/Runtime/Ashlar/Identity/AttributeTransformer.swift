public import SystemFoundation

/// A type that encodes the values of a transformable attribute as bytes for the store, and decodes them.
///
/// A model names a transformer in `valueTransformerName`. Generated code refers to the Swift type of that name, so a
/// missing type is a compiler error.
///
///     enum ColorTransformer: AttributeTransformer {
///         static func data(from value: Color) throws -> Data { … }
///         static func value(from data: Data) throws -> Color { … }
///     }
///
/// Core Data's counterpart is `NSValueTransformer`.
public protocol AttributeTransformer {
    /// The type of the attribute. Values are compared to detect changes.
    associatedtype Value: Sendable, Equatable

    /// Returns the bytes to store for a value.
    ///
    /// - Parameter value: The value of the attribute.
    /// - Throws: Any error. The save fails with ``SaveError/conversion(_:_:)``, which names the object.
    static func data(from value: Value) throws -> Data

    /// Returns the value that bytes represent.
    ///
    /// - Parameter data: The stored bytes.
    /// - Throws: Any error. It concerns only this property; see ``ModelContext/invalidValues``.
    static func value(from data: Data) throws -> Value
}
