/// A statement without what differs from one run to the next: the numbers of its parameters and the lengths of lists.
package struct StatementShape: Hashable {
    /// The text with `?` for every parameter, and two of them for a longer list.
    package var sql: String
    /// The length of the longest list of values; 0 without one.
    var listSize = 0

    /// Takes the shape of a statement.
    package init(_ text: String) {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                // A mark that is written twice within ends one text and begins the next.
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

    /// Where a list of parameters ends that begins at an offset, and how many there are; arguments of a function are no
    /// list, and left as they are.
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

    /// Returns whether a statement is about the rows of the model, and not about the transaction, the schema or what
    /// Ashlar keeps for itself.
    package static func isOfModel(_ sql: String) -> Bool {
        let isQueryOrChange = ["SELECT ", "WITH ", "INSERT ", "UPDATE ", "DELETE "].contains { sql.hasPrefix($0) }
        guard isQueryOrChange else { return false }
        // How many objects an R-tree has in a box is counted in its nodes.
        if sql.contains("\"rtree$"), sql.contains("\"nodeno\"") { return false }
        // What a virtual table runs for itself has names between single quotes.
        return !["'.'", "\"sqlite_", "\"ashlar$", "\"derived$\"", "pragma_"].contains { sql.contains($0) }
    }
}
