public import SystemFoundation

/// A value as SQLite stores it.
///
///     let value = SQLiteValue.text("Great Wall")
///     if case .text(let text) = value { print(text) }
public enum SQLiteValue: Sendable, Hashable {
    /// NULL.
    case null
    /// A whole number of 64 bits.
    case integer(Int64)
    /// A floating-point number of 64 bits.
    case real(Double)
    /// A text, stored as UTF-8.
    case text(String)
    /// Bytes.
    case blob(Data)
}

extension SQLiteValue {
    /// Compares as SQLite does: NULL, then numbers, then text by its UTF-8 bytes, then blobs by their bytes.
    package static func compare(_ left: SQLiteValue, _ right: SQLiteValue) -> Int {
        switch (left, right) {
        case (.null, .null): 0
        case (.integer(let first), .integer(let second)): first < second ? -1 : (first > second ? 1 : 0)
        case (.real(let first), .real(let second)):
            first < second ? -1 : (first > second ? 1 : compareEqual(first, second))
        case (.integer(let first), .real(let second)): compare(first, second)
        case (.real(let first), .integer(let second)): -compare(second, first)
        case (.text(let first), .text(let second)): compare(first, second)
        case (.blob(let first), .blob(let second)):
            first.withUnsafeBytes { first in second.withUnsafeBytes { second in compare(first, second) } }
        default: left.typeRank - right.typeRank
        }
    }

    /// NaN precedes every number.
    private static func compareEqual(_ first: Double, _ second: Double) -> Int {
        first == second ? 0 : (second.isNaN ? 1 : 0) - (first.isNaN ? 1 : 0)
    }

    /// Whether the value is NaN. No column contains it: SQLite stores NULL instead.
    package var isNotANumber: Bool { if case .real(let number) = self { number.isNaN } else { false } }

    package var isNull: Bool { if case .null = self { true } else { false } }

    private var typeRank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        // Beyond 2^53 a conversion would round, so the integer part is compared first.
        if real >= 0x1p63 { return -1 }
        if real.isNaN { return 1 }
        if real < -0x1p63 { return 1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        let fraction = real - Double(whole)
        return fraction > 0 ? -1 : (fraction < 0 ? 1 : 0)
    }

    private static func compare(_ left: String, _ right: String) -> Int {
        // Only a text that is not UTF-8 in memory is copied, such as one of Objective-C.
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) }
        }
    }

    private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, common)
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return left.count == right.count ? 0 : left.count < right.count ? -1 : 1
    }
}
