import SystemFoundation

#if FoundationEssentials
    // Foundation's own names for this are in the part that is left out, which calls the same functions.
    @_spi(_Unicode) import Swift
#endif

/// Texts with their marks apart from their letters, or in one.
///
/// Foundation moves the rest of a text for each character that becomes longer or shorter, so that its time grows with the square
/// of the length. A long text is converted in parts, which end between characters: no mark joins a letter of another part.
enum CanonicalForm {
    /// The most characters of a part.
    private static let partLength = 64
    /// The most scalars of a part. A part ends within a character only if its characters have more than a dozen marks each.
    private static let partScalars = 1024

    static func decomposed(_ text: String) -> String { converted(text, decomposedPart) }

    static func composed(_ text: String) -> String { converted(text, composedPart) }

    private static func converted(_ text: String, _ convert: (String) -> String) -> String {
        if text.utf8.count <= partScalars { return convert(text) }
        var result = ""
        result.reserveCapacity(text.utf8.count)
        // A substring would look for the beginning of its first character, among all marks before it.
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        while start < scalars.endIndex {
            let limit = scalars.index(start, offsetBy: partScalars, limitedBy: scalars.endIndex) ?? scalars.endIndex
            var part = String(scalars[start..<limit])
            if let end = part.index(part.startIndex, offsetBy: partLength, limitedBy: part.endIndex) {
                part = String(part[..<end])
            }
            result += convert(part)
            start = text.utf8.index(start, offsetBy: part.utf8.count)
        }
        return result
    }

    #if FoundationEssentials
        private static func decomposedPart(_ text: String) -> String {
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: text._nfd)
            return String(scalars)
        }

        private static func composedPart(_ text: String) -> String {
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: text._nfc)
            return String(scalars)
        }
    #else
        private static func decomposedPart(_ text: String) -> String { text.decomposedStringWithCanonicalMapping }

        private static func composedPart(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }
    #endif
}
