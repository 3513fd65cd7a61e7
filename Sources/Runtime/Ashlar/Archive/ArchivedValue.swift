public import SystemFoundation

/// A value of a keyed archive, as Core Data's secure transformer writes and reads it.
///
/// It is the type of a transformable attribute for which the model names no Swift type: for example, an attribute with
/// `NSSecureUnarchiveFromData` and no class, or the elements of an `NSArray`. Create values with literals:
///
///     post.details = ["title": "Sunset", "tags": ["sea", "sky"], "likes": 3]
///     let title = post.details?["title"]?.string
///
/// The cases are the classes that `NSSecureUnarchiveFromDataTransformer` allows. Reading an archive with an object of
/// another class fails. No class is ever looked up by a name in an archive.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ArchivedValue: Sendable, Hashable, Codable {
    /// `NSNull`.
    case null
    /// An `NSNumber` that was created from a Boolean.
    case boolean(Bool)
    /// An `NSNumber` with a whole number.
    case integer(Int64)
    /// An `NSNumber` with a floating-point number.
    case real(Double)
    /// An `NSString`.
    case string(String)
    /// An `NSData`.
    case data(Data)
    /// An `NSDate`.
    case date(Date)
    /// An `NSURL`.
    case url(URL)
    /// An `NSUUID`.
    case uuid(UUID)
    /// An `NSArray`, in its order.
    case array([ArchivedValue])
    /// An `NSDictionary`.
    case dictionary([ArchivedValue: ArchivedValue])
    /// An `NSSet`.
    case set(Set<ArchivedValue>)
}

/// The content of a value, or nil for another case.
extension ArchivedValue {
    /// The Boolean, also for 0 and 1; nil for other values.
    public var boolean: Bool? { try? Bool(archivedValue: self) }
    /// The whole number, also for other numbers without a fraction and for Booleans; nil for other values.
    ///
    ///     let likes = post.details?["likes"]?.integer
    public var integer: Int64? { try? Int64(archivedValue: self) }
    /// The number, also for whole numbers if it is exact; nil for other values.
    public var real: Double? { try? Double(archivedValue: self) }
    /// The text; nil for other values.
    ///
    ///     let title = post.details?["title"]?.string
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes; nil for other values.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The date; nil for other values.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }
    /// The URL; nil for other values.
    public var url: URL? { if case .url(let value) = self { value } else { nil } }
    /// The UUID; nil for other values.
    public var uuid: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The elements of an array; nil for other values.
    ///
    ///     let tags = post.details?["tags"]?.array ?? []
    public var array: [ArchivedValue]? { if case .array(let value) = self { value } else { nil } }
    /// The entries of a dictionary; nil for other values.
    public var dictionary: [ArchivedValue: ArchivedValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The members of a set; nil for other values.
    public var set: Set<ArchivedValue>? { if case .set(let value) = self { value } else { nil } }

    /// The value for a key of a dictionary; nil if the key is missing, or if the value is not a dictionary.
    ///
    ///     let title = post.details?["title"]
    public subscript(key: ArchivedValue) -> ArchivedValue? { dictionary?[key] }

    /// The kind of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a number"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .url: "a URL"
        case .uuid: "a UUID"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .set: "a set"
        }
    }
}

extension ArchivedValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: ArchivedValue...) { self = .array(elements) }

    /// Creates a dictionary. If a key occurs twice, its last value is used.
    public init(dictionaryLiteral elements: (ArchivedValue, ArchivedValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}
