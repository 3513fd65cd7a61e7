public import SystemFoundation

/// The built-in transformer of transformable attributes: keyed archives that Core Data reads, and those that it wrote.
///
/// Generated code uses it for the names `NSSecureUnarchiveFromData`, `NSKeyedUnarchiveFromData` and
/// `NSUnarchiveFromData`, and where a model names no transformer. Decoding is secure whatever the name: only the values
/// of ``ArchivedValue`` are made, and no class is looked up by its name. Core Data's
/// `NSSecureUnarchiveFromDataTransformer`.
///
/// A model may name it for other transformers that archive such values: with the entry `ashlar.transformer` in the
/// attribute's `userInfo`, as `SecureUnarchiveFromDataTransformer<[String]>`.
public enum SecureUnarchiveFromDataTransformer<Value: ArchivableValue>: AttributeTransformer {
    /// Archives a value. The same value gives the same bytes.
    ///
    /// - Throws: ``ArchiveError/tooDeep`` for a value that is nested too deeply to be read again.
    public static func data(from value: Value) throws -> Data {
        try KeyedArchive.data(from: value.archivedValue)
    }

    /// Reads a value.
    ///
    /// - Throws: ``ArchiveError`` when the bytes are no archive, or one of another value.
    public static func value(from data: Data) throws -> Value {
        try Value(archivedValue: try KeyedArchive.value(from: data))
    }
}
