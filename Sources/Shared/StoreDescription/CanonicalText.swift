/// The canonical form of texts: that of attributes which are derived by `canonical:(…)`.
///
/// With it, the generator fills the tables of letters in stores, and the runtime folds texts to compare them with
/// stored ones. Only letters of Unicode 15 change, whose forms never do, so that every compiler gives the same.
package enum CanonicalText {
    /// The letters that can have cases or marks, in the order of their numbers. Syllables of Hangul stay composed.
    package static let ranges: [ClosedRange<UInt32>] = [
        0x41...0x33FF, 0xA640...0xABFF, 0xF900...0xFFFF, 0x10400...0x10FFF, 0x11000...0x11FFF, 0x16E40...0x16E9F,
        0x1D15E...0x1D1C0, 0x1E900...0x1E95F, 0x2F800...0x2FA1F,
    ]

    /// A letter in its canonical form.
    ///
    /// - Parameter decompose: Takes the marks of a text apart from their letters.
    package static func folded(_ scalar: Unicode.Scalar, _ decompose: (String) -> String) -> String {
        // The dotless i has no other case to be equal to.
        if scalar == "\u{131}" { return "\u{131}" }
        let plain = withoutMarks(String(scalar), decompose)
        // By way of the upper case, so that the two small sigmas, and ß and ss, are one.
        return withoutMarks(plain.lowercased().uppercased().lowercased(), decompose)
    }

    /// A text in its canonical form, as the triggers of a store make it.
    package static func folded(_ text: String, _ decompose: (String) -> String) -> String {
        // To `GLOB` and `substr` a NUL is the end of a text, to `lower` it is not.
        let start = text.unicodeScalars.prefix { $0.value != 0 }
        if start.allSatisfy({ 0x20...0x7E ~= $0.value }) { return lowercasedASCII(text) }
        var result = ""
        for scalar in start {
            result += isLetter(scalar) ? folded(scalar, decompose) : String(scalar)
        }
        return result
    }

    private static func lowercasedASCII(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether a character is a letter that a form can change.
    package static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } && (scalar.properties.age?.major ?? .max) <= 15
    }

    /// A text without the marks of letters. Signs for vowels, which are marks too in some scripts, stay.
    private static func withoutMarks(_ text: String, _ decompose: (String) -> String) -> String {
        let marks: [ClosedRange<UInt32>] = [0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0xFE20...0xFE2F]
        let scalars = decompose(text).unicodeScalars
        return String(
            String.UnicodeScalarView(scalars.filter { scalar in !marks.contains { $0.contains(scalar.value) } }))
    }
}
