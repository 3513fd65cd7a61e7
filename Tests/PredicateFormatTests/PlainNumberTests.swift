import Foundation
import PredicateFormat
import RandomNumbers
import RandomSeeds
import SQLQuoting
import Testing

@Suite struct PlainNumberTests {
    @Test(
        arguments: [
            ("12", "12"), ("-1.25e1", "-12.5"), ("1e3", "1000"), ("1.50E-2", "0.0150"), ("+2.5e0", "2.5"),
            ("12.345e1", "123.45"), ("7e-1", "0.7"),
        ])
    func exponents(text: String, plain: String) {
        #expect(PlainNumber.text(text) == plain)
        #expect(Constant.decimal(text).plainDecimal == plain)
    }

    @Test func exponentsWithoutMeasure() {
        for exponent in ["999999999999999999999", "401", "100000"] {
            #expect(PlainNumber.text("1e" + exponent).count == 401)
            #expect(PlainNumber.text("-1e-" + exponent).count < 410)
        }
    }

    /// Foundation reads the written text as the same number.
    @Test(arguments: seeds(1)) func floatingPointNumbers(seed: Seed) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            if !number.isFinite { continue }
            let text = PlainNumber.text(number)
            #expect(!text.contains("e") && Double(text) == number, "\(number)")
        }
        #expect(PlainNumber.text(-Double.infinity).hasPrefix("-1000"))
    }
}
