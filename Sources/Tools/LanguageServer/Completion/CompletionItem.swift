/// A text that can stand at the cursor.
struct CompletionItem {
    /// The kinds of the protocol that are used.
    enum Kind: Int {
        case method = 2
        case function = 3
        case field = 5
        case classKind = 7
        case property = 10
        case value = 12
        case keyword = 14
        case snippet = 15
        case reference = 18
        case constant = 21
    }

    var label: String
    var kind: Kind
    /// The text to insert; the label when nil. In a snippet `$1` and `${2:name}` are places to fill in.
    var text: String?
    var isSnippet = false
    var detail: String?
    /// Decides the order before the label.
    var rank = 5
    /// Further edits, such as of the other side of an inverse.
    var edits: [(range: Range<Int>, text: String)] = []

    init(
        _ label: String, _ kind: Kind, text: String? = nil, isSnippet: Bool = false, detail: String? = nil,
        rank: Int = 5
    ) {
        self.label = label
        self.kind = kind
        self.text = text
        self.isSnippet = isSnippet
        self.detail = detail
        self.rank = rank
    }

    /// The text without the places to fill in, for a client without snippets.
    var plainText: String {
        let text = text ?? label
        guard isSnippet else { return text }
        return text.replacing(#/\$\{\d+:([^}]*)\}/#) { String($0.1) }
            .replacing(#/\$\{\d+\|([^,|]*)[^}]*\|\}/#) { String($0.1) }.replacing(#/\$\d+/#, with: "")
            .replacing("\\$", with: "$")
    }
}

extension String {
    /// The text as it is written in a snippet.
    var escapedForSnippet: String {
        replacing("\\", with: "\\\\").replacing("$", with: "\\$").replacing("}", with: "\\}")
    }
}
