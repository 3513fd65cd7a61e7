import Foundation
import Testing

@testable import Ashlar

/// What is known of characters without Foundation, compared with what Foundation says.
@Suite struct TextWidthTests {
    @Test func eachIsWhatFoundationSays() {
        for number in UInt32(0xFF00)...0xFFEF {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let expected = String(scalar).decomposedStringWithCompatibilityMapping
            #expect(Array(TextWidth.ordinary(scalar).unicodeScalars) == Array(expected.unicodeScalars), "\(number)")
        }
        #expect(TextFolding.folded("\u{3000}Ａé", [.widthInsensitive]) == " Aé")
    }
}
