import SystemFoundation

#if FoundationEssentials
    // FoundationEssentials lacks Foundation's names for these functions of the standard library.
    @_spi(_Unicode) import Swift
#endif

/// The canonical forms of texts: decomposed, with marks separate from their letters, and composed.
///
/// Foundation moves the rest of a text for each character that becomes longer or shorter, so that its time grows with
/// the square of the length. Long texts are therefore converted in parts. The parts end between characters, so that no
/// mark is separated from its letter.
enum CanonicalForm {
    /// The maximum number of characters in a part.
    private static let partLength = 64
    /// The maximum number of scalars in a part. A part ends within a character only if its characters have more than a
    /// dozen marks each.
    private static let partScalars = 1024

    static func decomposed(_ text: String) -> String { converted(text, decomposedPart) }

    static func composed(_ text: String) -> String { converted(text, composedPart) }

    private static func converted(_ text: String, _ convert: (String) -> String) -> String {
        if text.utf8.count <= partScalars { return convert(text) }
        var result = ""
        result.reserveCapacity(text.utf8.count)
        // Creating a substring would search for the beginning of its first character, through all marks before it.
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
