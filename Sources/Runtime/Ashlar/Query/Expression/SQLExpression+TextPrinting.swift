import SystemFoundation

extension SQLExpression {
    static func write(
        _ text: SQLExpression, _ comparison: TextComparison, _ pattern: SQLExpression, _ options: TextOptions,
        to writer: inout some SQLWriter
    ) {
        if options.isEmpty {
            if comparison == .contains {
                writer.write("instr(")
                text.writeValue(to: &writer)
                writer.write(", ")
                pattern.writeValue(to: &writer)
                return writer.write(") > 0")
            }
            if case .value(.text(let part)) = pattern {
                if comparison == .hasPrefix { return write(text, hasPrefix: part, to: &writer) }
                if comparison == .hasSuffix { return write(text, hasSuffix: part, to: &writer) }
            }
        }
        comparison.function.writeName(to: &writer)
        writer.write("(")
        text.writeValue(to: &writer)
        writer.write(", ")
        var options = options
        if !options.isEmpty, comparison != .matches, case .value(.text(let part)) = pattern {
            // Once, and not for each row.
            writer.bind(writer.keepsValues ? .text(TextFolding.folded(part, options)) : .null)
            options.insert(.patternIsFolded)
        } else {
            pattern.writeValue(to: &writer)
        }
        writer.write(", ")
        writer.bind(.integer(Int64(options.rawValue)))
        writer.write(")")
    }

    private static func write(_ text: SQLExpression, hasSuffix suffix: String, to writer: inout some SQLWriter) {
        if suffix.isEmpty {
            text.writeValue(to: &writer)
            return writer.write(" IS NOT NULL")
        }
        // As bytes, because SQLite's functions take a NUL for the end of a text.
        writer.write("substr(CAST(")
        text.writeValue(to: &writer)
        writer.write(" AS BLOB), -")
        writer.write(String(suffix.utf8.count))
        writer.write(") = ")
        writer.bind(.blob(Data(suffix.utf8)))
    }

    private static func write(_ text: SQLExpression, hasPrefix prefix: String, to writer: inout some SQLWriter) {
        // A range, unlike a function, can use an index.
        let last = PrefixRange.end(of: prefix)
        if last != nil { writer.write("(") }
        let start = writer.position
        text.writeValue(to: &writer)
        let end = writer.position
        writer.write(" >= ")
        writer.bind(.text(prefix))
        guard let last else { return }
        writer.write(" AND ")
        writer.writeAgain(from: start, to: end)
        writer.write(" < ")
        writer.bind(.text(last))
        writer.write(")")
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
