public import SystemFoundation

/// A value of a keyed archive, as Core Data's secure transformer writes and reads it.
///
/// It is the type of a transformable attribute whose model names no Swift type for it: of one with
/// `NSSecureUnarchiveFromData` and no class, say, or of the elements of an `NSArray`. Literals make one:
///
///     post.details = ["title": "Sunset", "tags": ["sea", "sky"], "likes": 3]
///     let title = post.details?["title"]?.string
///
/// The cases are the classes that `NSSecureUnarchiveFromDataTransformer` allows. An archive with an object of another
/// class is not read: no class is ever looked up by the name in an archive.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ArchivedValue: Sendable, Hashable, Codable {
    /// `NSNull`.
    case null
    /// An `NSNumber` that was made of a Boolean.
    case boolean(Bool)
    /// An `NSNumber` that holds a whole number.
    case integer(Int64)
    /// An `NSNumber` that holds a floating-point number.
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

/// What a value holds, or nil when it is of another case.
extension ArchivedValue {
    /// The Boolean, of 0 and 1 too; nil where the value is another.
    public var boolean: Bool? { try? Bool(archivedValue: self) }
    /// The whole number, of other numbers where nothing is lost, and of Booleans; nil where the value is another.
    public var integer: Int64? { try? Int64(archivedValue: self) }
    /// The number, of whole numbers where nothing is lost; nil where the value is another.
    public var real: Double? { try? Double(archivedValue: self) }
    /// The text; nil where the value is none.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes; nil where the value is of another case.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The date; nil where the value is none.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }
    /// The URL; nil where the value is none.
    public var url: URL? { if case .url(let value) = self { value } else { nil } }
    /// The UUID; nil where the value is none.
    public var uuid: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The elements of an array; nil where the value is none.
    public var array: [ArchivedValue]? { if case .array(let value) = self { value } else { nil } }
    /// The entries of a dictionary; nil where the value is none.
    public var dictionary: [ArchivedValue: ArchivedValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The members of a set; nil where the value is none.
    public var set: Set<ArchivedValue>? { if case .set(let value) = self { value } else { nil } }

    /// The value of a key of a dictionary; nil where there is none, or the value is no dictionary.
    public subscript(key: ArchivedValue) -> ArchivedValue? { dictionary?[key] }

    /// What the value is, for messages.
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

    /// A dictionary; of a key that is there twice the last value counts.
    public init(dictionaryLiteral elements: (ArchivedValue, ArchivedValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}
