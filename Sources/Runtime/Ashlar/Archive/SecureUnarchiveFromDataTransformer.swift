public import SystemFoundation

/// The built-in transformer of transformable attributes, which reads and writes keyed archives of Core Data.
///
/// Generated code uses it for the names `NSSecureUnarchiveFromData`, `NSKeyedUnarchiveFromData` and
/// `NSUnarchiveFromData`, and if a model names no transformer. Decoding is always secure: it creates only the values of
/// ``ArchivedValue``, and looks up no class by name.
///
///     let data = try SecureUnarchiveFromDataTransformer<[String]>.data(from: ["sea", "sky"])
///     let tags = try SecureUnarchiveFromDataTransformer<[String]>.value(from: data)
///
/// For other transformers that archive such values, set `ashlar.transformer` in the attribute's `userInfo`, for example
/// to `SecureUnarchiveFromDataTransformer<[String]>`. The Core Data counterpart is
/// `NSSecureUnarchiveFromDataTransformer`.
public enum SecureUnarchiveFromDataTransformer<Value: ArchivableValue>: AttributeTransformer {
    /// Archives a value. Equal values give equal bytes.
    ///
    /// - Parameter value: The value to archive.
    /// - Throws: ``ArchiveError/tooDeep`` if the value is nested too deeply to be read again.
    public static func data(from value: Value) throws -> Data {
        try KeyedArchive.data(from: value.archivedValue)
    }

    /// Reads a value from an archive.
    ///
    /// - Parameter data: The archive.
    /// - Throws: ``ArchiveError`` if the data is not an archive of such a value.
    public static func value(from data: Data) throws -> Value {
        try Value(archivedValue: try KeyedArchive.value(from: data))
    }
}
