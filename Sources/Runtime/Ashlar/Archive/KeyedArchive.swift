import SystemFoundation

/// Keyed archives of property values, in the format of `NSKeyedArchiver`: a property list whose `$objects` refer to
/// each other and to descriptions of their classes.
package enum KeyedArchive {
    /// The deepest nesting that is read or written.
    static let maximumDepth = 128

    static let version: Int64 = 100_000
    static let archiver = "NSKeyedArchiver"
    /// The first of `$objects`, which represents nil.
    static let null = "$null"

    /// Archives a value as Core Data's secure transformer does. The same value always gives the same bytes.
    package static func data(from value: ArchivedValue) throws(ArchiveError) -> Data {
        var writer = KeyedArchiveWriter()
        return try writer.data(from: value)
    }

    /// Reads an archive's root.
    static func value(from data: Data) throws(ArchiveError) -> ArchivedValue {
        var reader = try KeyedArchiveReader(data)
        return try reader.root()
    }
}

/// The classes whose objects can be read. Each name selects a kind of value; no class is looked up by it.
enum ArchivedClass: String {
    case null = "NSNull"
    case string = "NSString"
    case mutableString = "NSMutableString"
    case data = "NSData"
    case mutableData = "NSMutableData"
    case number = "NSNumber"
    case date = "NSDate"
    case url = "NSURL"
    case uuid = "NSUUID"
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
}
