import SystemFoundation

/// The collation of decimal columns: exact text that sorts as the number it represents.
package enum DecimalCollation {
    package static let name = "ashlar_decimal"

    package static func register(on connection: Connection) throws(SQLiteError) {
        try connection.addCollation(name) { _, leftCount, left, rightCount, right in
            Int32(
                DecimalCollation.compare(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount))))
        }
    }

    /// Compares two plain decimal numbers, such as `-12.50`, with any number of digits.
    package static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let first = Digits(left)
        let second = Digits(right)
        if first.isZero || second.isZero || first.isNegative != second.isNegative {
            return first.sign - second.sign
        }
        let order = first.compareMagnitude(with: second)
        return first.isNegative ? -order : order
    }

    package static func compare(_ left: String, _ right: String) -> Int {
        var left = left
        var right = right
        return left.withUTF8 { first in
            right.withUTF8 { second in
                compare(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer(second))
            }
        }
    }

    /// The parts of a number in text: its sign, the digits before the point without leading zeros, and the digits after
    /// it.
    private struct Digits {
        package var isNegative = false
        package var whole: Slice<UnsafeRawBufferPointer>
        package var fraction: Slice<UnsafeRawBufferPointer>

        package init(_ text: UnsafeRawBufferPointer) {
            var start = text.startIndex
            if start < text.endIndex, text[start] == UInt8(ascii: "-") || text[start] == UInt8(ascii: "+") {
                isNegative = text[start] == UInt8(ascii: "-")
                start += 1
            }
            let point = text[start...].firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
            while start < point, text[start] == UInt8(ascii: "0") { start += 1 }
            var end = text.endIndex
            while end > point, text[end - 1] == UInt8(ascii: "0") || end - 1 == point { end -= 1 }
            whole = text[start..<point]
            fraction = end > point ? text[(point + 1)..<end] : text[point..<point]
        }

        package var isZero: Bool { whole.isEmpty && fraction.isEmpty }
        package var sign: Int { isZero ? 0 : (isNegative ? -1 : 1) }

        package func compareMagnitude(with other: Digits) -> Int {
            if whole.count != other.whole.count { return whole.count < other.whole.count ? -1 : 1 }
            return Self.compare(whole, other.whole) ?? Self.compare(fraction, other.fraction)
                ?? (fraction.count - other.fraction.count).signum()
        }

        private static func compare(
            _ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>
        ) -> Int? {
            for (first, second) in zip(left, right) where first != second { return first < second ? -1 : 1 }
            return nil
        }
    }
}
