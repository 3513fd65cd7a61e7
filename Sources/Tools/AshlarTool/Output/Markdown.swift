import DataModel

/// Texts from any source in Markdown, in which no part of them acts as Markdown or HTML.
enum Markdown {
    /// A text in a line, with backslashes before the characters that have a meaning in Markdown.
    static func text(_ text: String) -> String {
        var result = ""
        for character in TerminalText.line(text) {
            if "\\`*_{}[]<>()#+!|~&@:".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// A text as code in a line. A table would end its cell at a bar even there.
    static func code(_ text: String) -> String {
        let shown = TerminalText.line(text)
        if shown.isEmpty { return "` `" }
        let fence = String(repeating: "`", count: longestRun(of: "`", in: shown) + 1)
        let space = shown.hasPrefix("`") || shown.hasSuffix("`") ? " " : ""
        return fence + space + shown.replacing("|", with: "\\|") + space + fence
    }

    /// A text as a block of code.
    static func block(_ text: String, _ language: String) -> String {
        let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: text) + 1))
        return "\(fence)\(language)\n\(text)\(text.hasSuffix("\n") ? "" : "\n")\(fence)"
    }

    private static func longestRun(of mark: Character, in text: String) -> Int {
        var (longest, current) = (0, 0)
        for character in text {
            current = character == mark ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }
}
