import Foundation

extension SQLExpression {
    static func sql(
        _ expression: SQLExpression, _ comparison: TextComparison, _ pattern: SQLExpression, _ options: TextOptions,
        _ statement: inout SQLStatement
    ) -> String {
        let text = expression.valueSQL(&statement)
        if options.isEmpty {
            switch (comparison, pattern) {
            case (.contains, _): return "instr(\(text), \(pattern.valueSQL(&statement))) > 0"
            case (.hasPrefix, .value(.text(let prefix))): return sql(text, hasPrefix: prefix, &statement)
            case (.hasSuffix, .value(.text(let suffix))): return sql(text, hasSuffix: suffix, &statement)
            default: break
            }
        }
        let arguments = [text, pattern.valueSQL(&statement), statement.parameter(.integer(Int64(options.rawValue)))]
        return comparison.function.call(arguments)
    }

    private static func sql(_ text: String, hasSuffix suffix: String, _ statement: inout SQLStatement) -> String {
        if suffix.isEmpty { return "\(text) IS NOT NULL" }
        // As bytes, because SQLite's functions take a NUL for the end of a text.
        let bytes = statement.parameter(.blob(Data(suffix.utf8)))
        return "substr(CAST(\(text) AS BLOB), \(-suffix.utf8.count)) = \(bytes)"
    }

    private static func sql(_ text: String, hasPrefix prefix: String, _ statement: inout SQLStatement) -> String {
        // A range, unlike a function, can use an index.
        let lower = "\(text) >= \(statement.parameter(.text(prefix)))"
        guard let end = PrefixRange.end(of: prefix) else { return lower }
        return "(\(lower) AND \(text) < \(statement.parameter(.text(end))))"
    }
}

extension SQLExpression.TextComparison {
    /// The function that compares with options.
    var function: ScalarFunction {
        switch self {
        case .hasPrefix: .hasPrefix
        case .hasSuffix: .hasSuffix
        case .contains: .contains
        case .like: .like
        case .matches: .matches
        }
    }
}

/// The range of texts that begin with a prefix, in the order of their bytes.
enum PrefixRange {
    /// The least text after all that begin with the prefix; nil when there is none.
    static func end(of prefix: String) -> String? {
        if let last = prefix.utf8.last, last < 0x7F { return prefix.replacingLastByte(with: last + 1) }
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no characters, so the step after D7FF leads to E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                return String(String.UnicodeScalarView(scalars))
            }
        }
        return nil
    }
}

extension String {
    /// The text with another ASCII character in place of one at its end.
    fileprivate func replacingLastByte(with byte: UInt8) -> String {
        let count = utf8.count
        return String(unsafeUninitializedCapacity: count) { bytes in
            _ = bytes.initialize(from: utf8)
            bytes[count - 1] = byte
            return count
        }
    }
}
