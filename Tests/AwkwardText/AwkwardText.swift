/// Texts that Swift's characters, or the eye, divide differently than a language of bytes or scalars.
public enum AwkwardText {
    /// Every scalar that combines with the one before, ends a line or is invisible, except NUL.
    public static let scalars: [Unicode.Scalar] = {
        // The planes beyond these have only ideographs and characters for private use.
        ([0x1...0x1_FFFF, 0xE_0000...0xE_01FF] as [ClosedRange<UInt32>]).joined().compactMap(Unicode.Scalar.init)
            .filter(isAwkward)
    }()

    private static func isAwkward(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .control, .format, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return true
        default:
            return properties.isGraphemeExtend || properties.isDefaultIgnorableCodePoint
                || properties.isEmojiModifier
        }
    }

    /// Texts with every such scalar before, after and between the marks of a language, and at the beginning and the
    /// end.
    public static func texts(around marks: [String]) -> [String] {
        scalars.flatMap { scalar in
            let scalar = String(scalar)
            let pairs = marks.map { "\($0)\(scalar)\($0)\($0)\(scalar)b" }.joined()
            return [scalar, "\(scalar)\(pairs)\(scalar)", "\(pairs)\(marks.joined(separator: scalar))"]
        }
    }
}
