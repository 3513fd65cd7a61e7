/// A statement without the parts that differ between runs: the numbers of its parameters, and the lengths of lists.
package struct StatementShape: Hashable {
    /// The text with `?` for every parameter, and with two of them for a longer list.
    package var sql: String
    /// The length of the longest list of values; 0 without one.
    var listSize = 0

    /// Creates the shape of a statement.
    package init(_ text: String) {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                // A doubled quotation mark ends one text and begins the next.
                let start = index
                index += 1
                while index < bytes.count, bytes[index] != byte { index += 1 }
                index = min(index + 1, bytes.count)
                result += bytes[start..<index]
            } else if byte == UInt8(ascii: "?") {
                let (next, count) = Self.list(bytes, at: index)
                index = next
                listSize = max(listSize, count > 1 ? count : 0)
                result += count > 1 ? Array("?, ?".utf8) : [byte]
            } else {
                result.append(byte)
                index += 1
            }
        }
        sql = String(decoding: result, as: UTF8.self)
    }

    /// Returns the end of a list of parameters that begins at an offset, and their number. Arguments of a function are
    /// not a list, and stay unchanged.
    private static func list(_ bytes: [UInt8], at start: Int) -> (end: Int, count: Int) {
        let first = parameterEnd(bytes, start)
        let isList = start >= 4 && bytes[(start - 4)..<start].elementsEqual("IN (".utf8)
        if !isList { return (first, 1) }
        var end = first
        var count = 1
        while end + 2 < bytes.count, bytes[end] == UInt8(ascii: ","), bytes[end + 2] == UInt8(ascii: "?") {
            end = parameterEnd(bytes, end + 2)
            count += 1
        }
        return (end, count)
    }

    private static func parameterEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        var end = start + 1
        while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
        return end
    }

    /// Returns whether a statement is about rows of the model, and not about transactions, the schema or Ashlar's own
    /// tables.
    package static func isOfModel(_ sql: String) -> Bool {
        let isQueryOrChange = ["SELECT ", "WITH ", "INSERT ", "UPDATE ", "DELETE "].contains { sql.hasPrefix($0) }
        guard isQueryOrChange else { return false }
        // The planner reads the nodes of an R-tree to count the objects in a box.
        if sql.contains("\"rtree$"), sql.contains("\"nodeno\"") { return false }
        // The internal statements of a virtual table have names in single quotation marks.
        return !["'.'", "\"sqlite_", "\"ashlar$", "\"derived$\"", "pragma_"].contains { sql.contains($0) }
    }
}
