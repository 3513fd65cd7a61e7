/// The places in a file of the characters of a model's string.
///
/// The places do not follow from the start of the string alone: a character reference such as `&quot;` is longer than
/// the character that it stands for, and a line break begins a new line.
public struct StringLocation: Sendable, Hashable {
    /// From an offset on, the columns are counted from a place.
    struct Run: Sendable, Hashable {
        var offset: Int
        var location: SourceLocation
    }

    private var runs: [Run]

    /// Makes the location of a string without references and line breaks.
    public init(start: SourceLocation) {
        runs = [Run(offset: 0, location: start)]
    }

    /// Records that, from a UTF-8 offset of the string on, the place differs from the counted one. Offsets must be
    /// added in ascending order.
    public mutating func add(offset: Int, at location: SourceLocation) {
        if self.location(at: offset) != location { runs.append(Run(offset: offset, location: location)) }
    }

    /// The place of the character at a UTF-8 offset.
    public func location(at offset: Int) -> SourceLocation {
        let run = runs.last { $0.offset <= offset } ?? runs[0]
        var location = run.location
        location.column += offset - run.offset
        return location
    }

    mutating func move(toFile file: String, byLines count: Int) {
        for index in runs.indices { runs[index].location.move(toFile: file, byLines: count) }
    }
}
