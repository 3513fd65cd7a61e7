import Foundation
import Testing

@testable import Ashlar

/// The ordinary forms of characters, found without Foundation, compared with those that Foundation gives.
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
