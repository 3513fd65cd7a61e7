import SystemFoundation

#if FoundationEssentials
    // Foundation's own names for this are in the part that is left out, which calls the same functions.
    @_spi(_Unicode) import Swift

    /// Texts with their marks apart from their letters, or in one.
    enum CanonicalForm {
        static func decomposed(_ text: String) -> String {
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: text._nfd)
            return String(scalars)
        }

        static func composed(_ text: String) -> String {
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: text._nfc)
            return String(scalars)
        }
    }
#else
    /// Texts with their marks apart from their letters, or in one.
    enum CanonicalForm {
        static func decomposed(_ text: String) -> String { text.decomposedStringWithCanonicalMapping }

        static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }
    }
#endif
