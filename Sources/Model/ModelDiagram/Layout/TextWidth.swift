/// The width of text, without a font to measure it with.
///
/// The widths are those of a wide sans serif, in thousandths of the font's size, so that text in any usual one fits.
enum TextWidth {
    /// The width in pixels, rounded up.
    static func of(_ text: String, size: Int, isBold: Bool = false) -> Int {
        let sum = text.unicodeScalars.reduce(0) { $0 + thousandths($1) }
        let width = sum * size * (isBold ? 11 : 10)
        return (width + 9999) / 10000
    }

    private static func thousandths(_ scalar: Unicode.Scalar) -> Int {
        if (32..<127).contains(scalar.value) { return latin[Int(scalar.value) - 32] }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch scalar.value {
        // East Asian scripts, full width forms, emoji and rare characters.
        case 0x1100..<0x1200, 0x2E80..<0xD7FF, 0xF900..<0xFB00, 0xFE30..<0xFE70, 0xFF00..<0xFFE7, 0x1F000...:
            return 1050
        default: return 800
        }
    }

    /// From the space to the tilde.
    private static let latin = [
        318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636,
        636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656,
        557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613,
        635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818,
        592, 592, 525, 636, 337, 636, 838,
    ]
}
