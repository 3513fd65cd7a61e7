/// The text that version hashes are made of: lines of a key and a value.
///
/// A line is the key, a space, the number of UTF-8 bytes of the value, a colon, the value and a line feed. Since the
/// length comes before the value, no value can be mistaken for several lines, and two different sequences of keys and
/// values never give one text. An absent value has no line.
struct CanonicalText {
    private(set) var bytes: [UInt8] = []

    /// Adds a value; nil adds nothing.
    mutating func add(_ key: String, _ value: String?) {
        if let value { add(key, Array(value.utf8)) }
    }

    /// Adds a truth; what is false adds nothing, since Xcode leaves it out as well.
    mutating func add(_ key: String, _ value: Bool) {
        if value { add(key, "YES") }
    }

    /// Adds a text within this one.
    mutating func add(_ key: String, _ text: CanonicalText) { add(key, text.bytes) }

    /// Adds texts in the order of their bytes, so that the order in the document means nothing.
    mutating func addSorted(_ key: String, _ texts: [CanonicalText]) {
        for text in texts.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) { add(key, text) }
    }

    /// The text's hash.
    var hash: String { SHA256.hexadecimal(of: bytes) }

    private mutating func add(_ key: String, _ value: [UInt8]) {
        bytes += Array("\(key) \(value.count):".utf8) + value + [0x0A]
    }
}
