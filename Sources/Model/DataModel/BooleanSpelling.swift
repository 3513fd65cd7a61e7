/// Common spellings of Booleans. The format requires `YES` or `NO`.
package enum BooleanSpelling {
    /// The format's spelling of a text that can only mean yes or no; nil for every other text.
    package static func corrected(_ text: String) -> String? {
        switch text.lowercased().filter({ !$0.isWhitespace }) {
        case "yes", "y", "true", "t", "on", "1", "1.0", "ture", "treu": "YES"
        case "no", "n", "false", "f", "off", "0", "0.0", "flase", "fasle": "NO"
        default: nil
        }
    }
}
