/// Names as SQL writes them. Every statement has many, so that they are put together byte by byte, which takes a fraction of
/// what appending texts does.
extension String {
    /// The name in double quotes, with the quotes in it doubled.
    var quotedIdentifier: String {
        let count = utf8.count
        let text = String(unsafeUninitializedCapacity: count + 2) { bytes in
            bytes[0] = Self.quote
            guard bytes.copy(self, count, at: 1) else { return 0 }
            bytes[count + 1] = Self.quote
            return count + 2
        }
        return text.isEmpty ? "\"" + doublingQuotes + "\"" : text
    }

    /// A table's or row's name and a column's, each in double quotes, with a dot between.
    static func qualifiedIdentifier(_ row: String, _ column: String) -> String {
        let (rowCount, columnCount) = (row.utf8.count, column.utf8.count)
        // With room for what is mostly written after it.
        let text = String(unsafeUninitializedCapacity: rowCount + columnCount + 5 + 16) { bytes in
            bytes[0] = quote
            guard bytes.copy(row, rowCount, at: 1), bytes.copy(column, columnCount, at: rowCount + 4) else { return 0 }
            bytes[rowCount + 1] = quote
            bytes[rowCount + 2] = UInt8(ascii: ".")
            bytes[rowCount + 3] = quote
            bytes[rowCount + columnCount + 4] = quote
            return rowCount + columnCount + 5
        }
        return text.isEmpty ? row.quotedIdentifier + "." + column.quotedIdentifier : text
    }

    fileprivate static let quote = UInt8(ascii: "\"")

    // Foundation's `contains` and `replacing` of a string cost a hundred times as much as those of its bytes, and quotes in
    // names are rare.
    private var doublingQuotes: String { replacing("\"", with: "\"\"") }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Copies a text of so many bytes; false where it has a quote.
    fileprivate func copy(_ text: String, _ count: Int, at start: Int) -> Bool {
        let target = UnsafeMutableBufferPointer(rebasing: self[start..<(start + count)])
        _ = target.initialize(from: text.utf8)
        for byte in target where byte == String.quote { return false }
        return true
    }
}
