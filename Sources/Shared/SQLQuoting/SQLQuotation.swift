/// Texts in the quotation marks of SQL, and of the language of FTS5.
///
/// All quoting is here, and works on bytes. To Swift, a quotation mark with a combining accent is another Character
/// than one without; to SQLite, it is a quotation mark. Every statement has many names, so they are written byte by
/// byte, which takes a fraction of the time of appending texts.
package enum SQLQuotation {
    private static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")

    /// A name: in double quotes, with the quotes in it doubled.
    ///
    /// SQLite has no names with a NUL character. A statement ends at one, which is within the quotes, and so is
    /// refused.
    package static func identifier(_ name: String) -> String {
        let count = name.utf8.count
        let text = String(unsafeUninitializedCapacity: count + 2) { bytes in
            bytes[0] = quote
            guard copy(name, count, to: bytes, at: 1) else { return 0 }
            bytes[count + 1] = quote
            return count + 2
        }
        return text.isEmpty ? doubling(quote, in: name) : text
    }

    /// A table's or row's name and a column's, each in double quotes, with a dot between.
    package static func qualifiedIdentifier(_ row: String, _ column: String) -> String {
        let (rowCount, columnCount) = (row.utf8.count, column.utf8.count)
        // With room for the usual text after it.
        let text = String(unsafeUninitializedCapacity: rowCount + columnCount + 5 + 16) { bytes in
            bytes[0] = quote
            guard copy(row, rowCount, to: bytes, at: 1), copy(column, columnCount, to: bytes, at: rowCount + 4) else {
                return 0
            }
            bytes[rowCount + 1] = quote
            bytes[rowCount + 2] = UInt8(ascii: ".")
            bytes[rowCount + 3] = quote
            bytes[rowCount + columnCount + 4] = quote
            return rowCount + columnCount + 5
        }
        return text.isEmpty ? identifier(row) + "." + identifier(column) : text
    }

    /// A literal that SQLite reads back byte for byte: in single quotes, with the quotes in it doubled.
    ///
    /// A statement ends at a NUL character, so that one within the text is written as a call.
    package static func literal(_ text: String) -> String {
        if !text.utf8.contains(0) { return doubling(apostrophe, in: text) }
        let parts = text.utf8.split(separator: 0, omittingEmptySubsequences: false).map {
            doubling(apostrophe, in: String(decoding: $0, as: UTF8.self))
        }
        return "(\(parts.joined(separator: " || char(0) || ")))"
    }

    /// A string of FTS5's language of queries, in which nothing but a quotation mark has a meaning.
    ///
    /// The language's texts end at a NUL, in which no tokenizer finds a term: a space takes its place.
    package static func phrase(_ text: String) -> String {
        if !text.utf8.contains(0) { return doubling(quote, in: text) }
        return doubling(quote, in: String(decoding: text.utf8.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self))
    }

    /// Returns the text within quotation marks, which are the first byte and the last, and are doubled within.
    package static func content(of text: some StringProtocol) -> String {
        guard let mark = text.utf8.first else { return "" }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var isFirst = false
        for byte in text.utf8.dropFirst().dropLast() {
            isFirst = byte == mark && !isFirst
            if byte != mark || isFirst { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func doubling(_ mark: UInt8, in text: String) -> String {
        let count = text.utf8.count
        var marks = 0
        for byte in text.utf8 where byte == mark { marks += 1 }
        return String(unsafeUninitializedCapacity: count + marks + 2) { bytes in
            var position = 0
            func append(_ byte: UInt8) {
                bytes[position] = byte
                position += 1
            }
            append(mark)
            for byte in text.utf8 {
                if byte == mark { append(mark) }
                append(byte)
            }
            append(mark)
            return position
        }
    }

    /// Copies a text with a number of bytes; false if it has a quote.
    private static func copy(
        _ text: String, _ count: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> Bool {
        let target = UnsafeMutableBufferPointer(rebasing: bytes[start..<(start + count)])
        _ = target.initialize(from: text.utf8)
        for byte in target where byte == quote { return false }
        return true
    }
}
