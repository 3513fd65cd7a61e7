/// An error of reading or writing a keyed archive.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ArchiveError: Error, Sendable, Hashable {
    /// The data is not a complete binary property list.
    case malformed(String)
    /// The property list is not a keyed archive.
    case notAnArchive(String)
    /// The archive contains an object of a class that is not allowed.
    case classNotAllowed(String)
    /// The archive contains an object that contains itself.
    case cycle
    /// The values are nested more deeply than `KeyedArchive.maximumDepth`.
    case tooDeep
    /// The archive represents more values than it has bytes, and more than 1,048,576, because it repeats collections of
    /// collections.
    case tooLarge
    /// The value has another type than the property.
    case unexpectedValue(found: String, expected: String)
}

extension ArchiveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let reason): "the bytes are not a sound property list: \(reason)"
        case .notAnArchive(let reason): "the property list is not a keyed archive: \(reason)"
        case .classNotAllowed(let name):
            "the archive has an object of the class \(name), which the built-in transformer does not allow; "
                + "name an AttributeTransformer of your own for it"
        case .cycle: "the archive has an object that contains itself"
        case .tooDeep: "the values are nested more than \(KeyedArchive.maximumDepth) deep"
        case .tooLarge: "the archive stands for more values than it has bytes for"
        case .unexpectedValue(let found, let expected): "the archive holds \(found) instead of \(expected)"
        }
    }
}
