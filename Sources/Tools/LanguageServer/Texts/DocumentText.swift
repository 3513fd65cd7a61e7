/// The text of a document, with conversions between offsets in UTF-8 and the protocol's positions.
struct DocumentText {
    private(set) var bytes: [UInt8]
    /// Where each line begins. A line ends with `\n`, `\r\n` or `\r`.
    private var lineStarts: [Int] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        findLines()
    }

    private mutating func findLines() {
        lineStarts = [0]
        bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            while index < buffer.count {
                let byte = buffer[index]
                index += 1
                if byte == 0x0A || byte == 0x0D && (index == buffer.count || buffer[index] != 0x0A) {
                    lineStarts.append(index)
                }
            }
        }
    }

    /// The offset of a position. Positions beyond the end of a line or of the text are those of the ends.
    func offset(of position: Position, _ encoding: PositionEncoding) -> Int {
        guard position.line < lineStarts.count else { return bytes.count }
        var offset = lineStarts[position.line]
        let end = endOfLine(position.line)
        var left = position.character
        while offset < end {
            let units = encoding.units(bytes[offset])
            if left < units { break }
            left -= units
            offset += 1
            // The rest of a character goes with its first byte.
            if encoding == .utf16 { while offset < end, bytes[offset] & 0xC0 == 0x80 { offset += 1 } }
        }
        while offset > 0, offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
        return offset
    }

    /// The position of an offset.
    func position(of offset: Int, _ encoding: PositionEncoding) -> Position {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let end = min(offset, endOfLine(low))
        var character = 0
        for byte in bytes[lineStarts[low]..<max(end, lineStarts[low])] { character += encoding.units(byte) }
        return Position(line: low, character: character)
    }

    private func endOfLine(_ line: Int) -> Int {
        guard line + 1 < lineStarts.count else { return bytes.count }
        var end = lineStarts[line + 1] - 1
        if end > lineStarts[line], bytes[end] == 0x0A, bytes[end - 1] == 0x0D { end -= 1 }
        return end
    }

    func range(_ range: Range<Int>, _ encoding: PositionEncoding) -> JSONValue {
        [
            "start": position(of: range.lowerBound, encoding).json,
            "end": position(of: range.upperBound, encoding).json,
        ]
    }

    /// The range of bytes that a range of the protocol means.
    func range(_ json: JSONValue, _ encoding: PositionEncoding) -> Range<Int>? {
        guard let start = Position(json["start"]), let end = Position(json["end"]) else { return nil }
        let lower = offset(of: start, encoding)
        return lower..<max(lower, offset(of: end, encoding))
    }

    /// Makes the changes of a notification, one after the other.
    mutating func apply(_ changes: [JSONValue], _ encoding: PositionEncoding) {
        for change in changes {
            guard let text = change["text"].string else { continue }
            if let range = range(change["range"], encoding) {
                bytes.replaceSubrange(range, with: text.utf8)
            } else {
                bytes = Array(text.utf8)
            }
            findLines()
        }
    }
}
