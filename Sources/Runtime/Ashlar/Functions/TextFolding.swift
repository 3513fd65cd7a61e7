import SystemFoundation

/// Takes from texts what a comparison overlooks, so that what remains can be compared byte by byte.
///
/// It does not depend on the locale or the platform.
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

    /// An ASCII letter in lower case, any other byte as it is.
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
        // Folding can give characters that decompose further, and marks that their order has to be found for.
        guard removesMarks else { return CanonicalForm.composed(String(scalars)) }
        let letters = CanonicalForm.decomposed(String(scalars)).unicodeScalars.filter {
            $0.properties.generalCategory != .nonspacingMark
        }
        return CanonicalForm.composed(String(String.UnicodeScalarView(letters)))
    }

    /// By way of upper case, which makes one of a sharp s and two s, and of both forms of sigma.
    private static func caseFolded(_ scalar: Unicode.Scalar) -> String {
        // The dotless i has the upper case of the other, but is another letter.
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
