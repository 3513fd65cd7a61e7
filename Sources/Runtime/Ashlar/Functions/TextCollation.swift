import AshlarSQLite
import SystemFoundation

/// An order of texts that people expect in lists, which depends on the current locale.
///
///     let authors = Author.order { $0.name.ascending.comparing(.localizedStandard) }
///
/// Indexes do not use it, because a store may be opened with another locale. The counterparts are `localizedCompare:`
/// and `localizedStandardCompare:` in Core Data's sort descriptors.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum TextCollation: String, Sendable, Hashable, CaseIterable {
    /// The order of words in the current locale.
    case localized = "ashlar_localized"
    /// The order of names and files in lists: case is ignored, and numbers in texts are compared by value.
    case localizedStandard = "ashlar_localized_standard"

    /// Compares two texts: -1, 0 or 1. A program built without Foundation has no locales, and compares the characters.
    func compare(_ left: String, _ right: String) -> Int {
        #if FoundationEssentials
            return left < right ? -1 : left == right ? 0 : 1
        #else
            return localizedOrder(left, right)
        #endif
    }

    #if !FoundationEssentials
        private func localizedOrder(_ left: String, _ right: String) -> Int {
            let options: String.CompareOptions =
                switch self {
                case .localized: []
                case .localizedStandard: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering]
                }
            return left.compare(right, options: options, range: nil, locale: .current).rawValue
        }
    #endif

    /// The function that compares two texts.
    var orderFunction: ScalarFunction {
        switch self {
        case .localized: .localizedOrder
        case .localizedStandard: .localizedStandardOrder
        }
    }

    static func register(on connection: Connection) throws(SQLiteError) {
        try connection.addCollation(localized.rawValue) {
            Int32(TextCollation.localized.compare(TextCollation.text($2, $1), TextCollation.text($4, $3)))
        }
        try connection.addCollation(localizedStandard.rawValue) {
            Int32(TextCollation.localizedStandard.compare(TextCollation.text($2, $1), TextCollation.text($4, $3)))
        }
    }

    private static func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }
}
