import Digests
import Foundation

/// The text that version hashes are made of: lines of a key and a value.
///
/// A line is the key, a space, the number of UTF-8 bytes of the value, a colon, the value and a line feed. Since the
/// length comes before the value, no value can be mistaken for several lines, and two different sequences of keys and
/// values never give one text. An absent value has no line.
struct CanonicalText: Sendable, Hashable {
    private(set) var text = ""

    /// Adds a value; nil adds nothing.
    mutating func add(_ key: String, _ value: String?) {
        guard let value else { return }
        text += key
        text += " "
        text += String(value.utf8.count)
        text += ":"
        text += value
        text += "\n"
    }

    /// Adds a flag if it is true; Xcode leaves out false ones as well.
    mutating func add(_ key: String, _ value: Bool) {
        if value { add(key, "YES") }
    }

    /// Adds a text within this one.
    mutating func add(_ key: String, _ other: CanonicalText) { add(key, other.text) }

    /// Adds texts in the order of their bytes, so that their order in the document has no effect.
    mutating func addSorted(_ key: String, _ texts: [CanonicalText]) {
        for text in texts.sorted(by: { Self.precedes($0, $1) }) { add(key, text) }
    }

    /// The text's hash.
    var hash: String { SHA256.hexadecimal(of: text.utf8) }

    /// The order of the bytes, which is not that of strings: these are compared as Unicode sees them.
    static func precedes(_ left: CanonicalText, _ right: CanonicalText) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard let first = left.baseAddress, let second = right.baseAddress else {
                    return left.count < right.count
                }
                let result = memcmp(first, second, min(left.count, right.count))
                return result == 0 ? left.count < right.count : result < 0
            }
        }
    }
}
