import SystemFoundation

/// Removes the differences that a comparison ignores from texts, so that the rest can be compared byte by byte.
///
/// The result does not depend on the locale or the platform.
package enum TextFolding {
    package static func folded(_ text: String, _ options: TextOptions) -> String {
        if options.isEmpty { return text }
        var text = text
        let isASCII = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } }
        if isASCII {
            return options.contains(.caseInsensitive) ? lowercasedASCII(text) : text
        }
        return foldedUnicode(text, options)
    }

    private static func lowercasedASCII(_ text: String) -> String {
        String(unsafeUninitializedCapacity: text.utf8.count) { buffer in
            var count = 0
            for byte in text.utf8 {
                buffer[count] = lowercased(byte)
                count += 1
            }
            return count
        }
    }

    /// Returns an ASCII letter in lower case, any other byte unchanged.
    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    private static func foldedUnicode(_ text: String, _ options: TextOptions) -> String {
        var scalars = String.UnicodeScalarView()
        let removesMarks = options.contains(.diacriticInsensitive)
        for scalar in CanonicalForm.decomposed(text).unicodeScalars {
            if removesMarks, scalar.properties.generalCategory == .nonspacingMark { continue }
            let narrow = options.contains(.widthInsensitive) ? ordinaryWidth(of: scalar) : String(scalar)
            if options.contains(.caseInsensitive) {
                for one in narrow.unicodeScalars { scalars.append(contentsOf: caseFolded(one).unicodeScalars) }
            } else {
                scalars.append(contentsOf: narrow.unicodeScalars)
            }
        }
        // Folding can yield characters that decompose further, and marks that must be reordered.
        guard removesMarks else { return CanonicalForm.composed(String(scalars)) }
        let letters = CanonicalForm.decomposed(String(scalars)).unicodeScalars.filter {
            $0.properties.generalCategory != .nonspacingMark
        }
        return CanonicalForm.composed(String(String.UnicodeScalarView(letters)))
    }

    /// Folds case by way of upper case, so that a sharp s equals two s, and both forms of sigma are equal.
    private static func caseFolded(_ scalar: Unicode.Scalar) -> String {
        // The dotless i has the same upper case as i, but is another letter.
        if scalar == "\u{131}" { return String(scalar) }
        var result = ""
        for upper in scalar.properties.uppercaseMapping.unicodeScalars { result += upper.properties.lowercaseMapping }
        return result
    }

    private static func ordinaryWidth(of scalar: Unicode.Scalar) -> String {
        if scalar.value == 0x3000 { return " " }
        guard (0xFF00...0xFFEF).contains(scalar.value) else { return String(scalar) }
        return TextWidth.ordinary(scalar)
    }
}
