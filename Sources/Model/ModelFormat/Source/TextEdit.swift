public import DataModel

/// A replacement of a part of a file. Everything else in the file stays unchanged, byte for byte.
public struct TextEdit: Sendable, Hashable {
    /// The path of the file.
    public var file: String
    /// The bytes that are replaced, counted from 0; empty where text is inserted.
    public var range: Range<Int>
    /// The place of the first byte that is replaced.
    public var start: SourceLocation
    /// The place behind the last byte that is replaced.
    public var end: SourceLocation
    public var replacement: String
}

extension Sequence<TextEdit> {
    /// A file's bytes with the edits made, which must not overlap.
    public func applied(to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for edit in sorted(by: {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        })
        where position <= edit.range.lowerBound && edit.range.upperBound <= bytes.count {
            result += bytes[position..<edit.range.lowerBound]
            result += Array(edit.replacement.utf8)
            position = edit.range.upperBound
        }
        return result + bytes[position...]
    }
}
