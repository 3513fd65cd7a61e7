import Foundation

/// A value as the tests compare it: texts byte by byte, and all values in the order of a store.
enum Answer: Hashable, Comparable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text([UInt8])
    case bytes([UInt8])

    static func of(_ value: (some Answerable)?) -> Answer { value?.answer ?? .null }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real, .decimal: 1
        case .text: 2
        case .bytes: 3
        }
    }

    static func < (left: Answer, right: Answer) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.decimal(let left), .decimal(let right)): left < right
        case (.text(let left), .text(let right)), (.bytes(let left), .bytes(let right)):
            left.lexicographicallyPrecedes(right)
        default: left.rank < right.rank
        }
    }

    /// Whether one value is less than another; false if either is nil.
    static func less(_ left: Answer, _ right: Answer) -> Bool { left != .null && right != .null && left < right }

    var isNull: Bool { self == .null }
}

/// A type of values that can be fetched.
protocol Answerable: Sendable {
    var answer: Answer { get }
}

extension Int: Answerable { var answer: Answer { .integer(Int64(self)) } }
extension Int16: Answerable { var answer: Answer { .integer(Int64(self)) } }
extension Int32: Answerable { var answer: Answer { .integer(Int64(self)) } }
extension Int64: Answerable { var answer: Answer { .integer(self) } }
extension Double: Answerable { var answer: Answer { .real(self) } }
extension Float: Answerable { var answer: Answer { .real(Double(self)) } }
extension Decimal: Answerable { var answer: Answer { .decimal(self) } }
extension Bool: Answerable { var answer: Answer { .integer(self ? 1 : 0) } }
extension String: Answerable { var answer: Answer { .text(Array(utf8)) } }
extension Date: Answerable { var answer: Answer { .real(timeIntervalSinceReferenceDate) } }
extension Data: Answerable { var answer: Answer { .bytes(Array(self)) } }
extension UUID: Answerable {
    var answer: Answer { withUnsafeBytes(of: uuid) { .bytes(Array($0)) } }
}
extension URL: Answerable { var answer: Answer { absoluteString.answer } }
extension Kind: Answerable { var answer: Answer { rawValue.answer } }
extension Optional: Answerable where Wrapped: Answerable { var answer: Answer { self?.answer ?? .null } }

/// Texts after folding by the options of a comparison, with rules for the few letters in the tests.
enum PlainText {
    struct Options: OptionSet {
        let rawValue: Int
        static let c = Options(rawValue: 1)
        static let d = Options(rawValue: 2)
        static let w = Options(rawValue: 4)
    }

    static func folded(_ text: String, _ options: Options) -> String {
        if options.isEmpty { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            if options.contains(.d), (0x300...0x36F).contains(scalar.value) { continue }
            var scalar = scalar
            if options.contains(.w), (0xFF01...0xFF5E).contains(scalar.value) {
                scalar = Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
            }
            if options.contains(.c) {
                result.append(contentsOf: (scalar == "ß" ? "ss" : scalar.properties.lowercaseMapping).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result).precomposedStringWithCanonicalMapping
    }

    enum Place { case start, middle, end, all }

    /// Whether a text contains another one at a place, compared byte by byte.
    static func has(_ text: String?, _ part: String?, _ place: Place, _ options: Options = []) -> Bool {
        guard let text, let part else { return false }
        let whole = Array(folded(text, options).utf8)
        let bytes = Array(folded(part, options).utf8)
        switch place {
        case .start: return whole.starts(with: bytes)
        case .end: return whole.reversed().starts(with: bytes.reversed())
        case .all: return whole == bytes
        case .middle:
            return bytes.isEmpty
                || whole.indices.contains { whole[$0...].starts(with: bytes) }
        }
    }

    /// Whether a text matches a pattern with `*`, `?` and backslashes.
    static func isLike(_ text: String?, _ pattern: String, _ options: Options = []) -> Bool {
        guard let text else { return false }
        return isLike(
            Array(folded(text, options).unicodeScalars)[...], Array(folded(pattern, options).unicodeScalars)[...])
    }

    private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "*": return isLike(text, rest) || !text.isEmpty && isLike(text.dropFirst(), pattern)
        case "?": return !text.isEmpty && isLike(text.dropFirst(), rest)
        case "\\": return text.first == rest.first && isLike(text.dropFirst(), rest.dropFirst())
        default: return text.first == first && isLike(text.dropFirst(), rest)
        }
    }

    static func matches(_ text: String?, _ pattern: String) -> Bool {
        guard let text else { return false }
        return text.range(of: "^(?:\(pattern))$", options: .regularExpression) != nil
    }
}
