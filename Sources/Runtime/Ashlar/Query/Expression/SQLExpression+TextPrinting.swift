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
            // The pattern is folded once, and not for each row.
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
        // As bytes, because SQLite's functions end a text at a NUL.
        writer.write("substr(CAST(")
        text.writeValue(to: &writer)
        writer.write(" AS BLOB), -")
        writer.write(String(suffix.utf8.count))
        writer.write(") = ")
        writer.bind(.blob(Data(suffix.utf8)))
    }

    private static func write(_ text: SQLExpression, hasPrefix prefix: String, to writer: inout some SQLWriter) {
        // An index can be used for a range, but not for a function.
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
    /// The function that compares with the options.
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
    /// Returns the least text that sorts after all texts with the prefix; nil if there is none.
    static func end(of prefix: String) -> String? {
        if let last = prefix.utf8.last, last < 0x7F { return prefix.replacingLastByte(with: last + 1) }
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not characters, so E000 follows D7FF.
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
    /// Returns the text with another ASCII character at its end.
    fileprivate func replacingLastByte(with byte: UInt8) -> String {
        let count = utf8.count
        return String(unsafeUninitializedCapacity: count) { bytes in
            _ = bytes.initialize(from: utf8)
            bytes[count - 1] = byte
            return count
        }
    }
}
