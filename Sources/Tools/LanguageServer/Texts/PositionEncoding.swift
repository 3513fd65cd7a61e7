/// The unit in which a client counts the characters of a line.
enum PositionEncoding: String {
    case utf8 = "utf-8"
    case utf16 = "utf-16"

    /// The units of the character that begins with a byte; 0 for a byte within a character.
    func units(_ byte: UInt8) -> Int {
        if self == .utf8 { return 1 }
        if byte & 0xC0 == 0x80 { return 0 }
        // A character outside the Basic Multilingual Plane is a pair.
        return byte >= 0xF0 ? 2 : 1
    }
}

/// A place in a document as the protocol counts, from 0.
struct Position: Hashable, Comparable {
    var line: Int
    var character: Int

    static func < (left: Position, right: Position) -> Bool {
        (left.line, left.character) < (right.line, right.character)
    }

    var json: JSONValue { ["line": .integer(line), "character": .integer(character)] }

    init(line: Int, character: Int) {
        self.line = line
        self.character = character
    }

    init?(_ json: JSONValue) {
        guard let line = json["line"].integer, let character = json["character"].integer, line >= 0, character >= 0
        else { return nil }
        self.init(line: line, character: character)
    }
}
