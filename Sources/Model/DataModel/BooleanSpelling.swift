/// How people write Booleans where the format wants `YES` or `NO`.
package enum BooleanSpelling {
    /// The spelling of the format for what can only mean yes or no; nil for everything else.
    package static func corrected(_ text: String) -> String? {
        switch text.lowercased().filter({ !$0.isWhitespace }) {
        case "yes", "y", "true", "t", "on", "1", "1.0", "ture", "treu": "YES"
        case "no", "n", "false", "f", "off", "0", "0.0", "flase", "fasle": "NO"
        default: nil
        }
    }
}
