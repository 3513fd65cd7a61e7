import DataModel
import Foundation
import SQLQuoting

/// Writes names and values into SQL so that SQLite reads them back exactly.
public enum SQLText {
    /// A name in quotation marks, which is correct for every name, also for keywords.
    public static func identifier(_ name: String) -> String { SQLQuotation.identifier(name) }

    /// Names in quotation marks, separated by commas.
    public static func identifiers(_ names: some Sequence<String>) -> String {
        names.map(identifier).joined(separator: ", ")
    }

    /// A name as SQLite compares it: without regard to the case of ASCII letters only.
    public static func folded(_ name: String) -> String { SQLiteName.folded(name) }

    /// A text as a string literal.
    public static func literal(_ text: String) -> String { SQLQuotation.literal(text) }

    /// Texts as string literals, separated by commas.
    public static func literals(_ texts: some Sequence<String>) -> String {
        texts.map { literal($0) }.joined(separator: ", ")
    }

    /// A finite number as a literal that SQLite reads back bit for bit.
    ///
    /// The shortest text of a number may be almost half a unit away from it. SQLite's conversion has little more
    /// precision than its result, and sometimes rounds such a text the wrong way (seen: 0.046032). The literals have
    /// more digits than necessary to distinguish neighbours. Below 1e-290, SQLite itself loses the last bits.
    public static func literal(_ number: Double) -> String {
        let shortest = "\(number)"
        return isNear(shortest, number) ? shortest : String(format: "%.18e", number)
    }

    private static func isNear(_ text: String, _ number: Double) -> Bool {
        if number.rounded() == number && number.magnitude < 1e15 { return true }
        let posix = Locale(identifier: "en_US_POSIX")
        guard (1e-15..<1e15).contains(number.magnitude), let written = Decimal(string: text, locale: posix),
            let exact = Decimal(string: String(format: "%.36e", number), locale: posix)
        else { return false }
        return abs(written - exact) < Decimal(number.ulp * 0.45)
    }

    /// A default value as a literal for its column.
    public static func literal(_ value: DefaultValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .real(let number), .date(let number): literal(number)
        case .boolean(let flag): flag ? "1" : "0"
        case .string(let text), .uri(let text), .decimal(let text): literal(text)
        case .uuid(let uuid): literal(withUnsafeBytes(of: uuid.uuid) { Array($0) })
        case .binary(let bytes): literal(bytes)
        }
    }

    private static func literal(_ bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "x'\(digits.joined())'"
    }
}

/// The names of one namespace, all different for SQLite.
struct SQLNames {
    private var taken: Set<String> = []

    /// Takes a name, or a similar one if it is already taken.
    mutating func claim(_ name: String) -> String {
        var result = name
        var number = 1
        while !taken.insert(SQLText.folded(result)).inserted {
            number += 1
            result = "\(name)$\(number)"
        }
        return result
    }
}
