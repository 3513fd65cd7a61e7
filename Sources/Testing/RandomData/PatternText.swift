import RandomNumbers

/// Random texts that match a regular expression of literals, classes, groups, alternatives and repetitions, as models
/// use them.
///
/// Other syntax is not supported. With an assertion, a text may match only in part, so the caller must check it.
package struct PatternText {
    private indirect enum Part {
        case characters([Character])
        case sequence([Part])
        case alternatives([Part])
        case repeated(Part, ClosedRange<Int>)
    }

    private let root: Part

    /// Reads a pattern; nil for one that is not supported.
    package init?(_ pattern: String) {
        var reader = Reader(pattern)
        guard let root = reader.alternatives(), reader.rest.isEmpty else { return nil }
        self.root = root
    }

    /// The longest text that is made.
    private static let greatestLength = 10_000

    /// A text; nil if it would be a very long one.
    package func text(_ generator: inout SeededGenerator) -> String? {
        var text = ""
        return Self.add(root, to: &text, &generator) ? text : nil
    }

    /// Adds a text that matches a part; returns whether there was room for it.
    private static func add(_ part: Part, to text: inout String, _ generator: inout SeededGenerator) -> Bool {
        switch part {
        case .characters(let characters):
            if let character = characters.randomElement(using: &generator) { text.append(character) }
        case .sequence(let parts):
            for part in parts where !add(part, to: &text, &generator) { return false }
        case .alternatives(let parts):
            if let part = parts.randomElement(using: &generator) { return add(part, to: &text, &generator) }
        case .repeated(let part, let range):
            for _ in 0..<Int.random(in: range, using: &generator) where !add(part, to: &text, &generator) {
                return false
            }
        }
        return text.utf8.count <= greatestLength
    }

    private struct Reader {
        var rest: Substring
        private var depth = 0

        init(_ pattern: String) { rest = pattern[...] }

        private static let greatestDepth = 50
        private static let digits = Array("0123456789")
        private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        private static let all = (0x20...0x7E).compactMap { Unicode.Scalar($0).map { Character($0) } }
        /// The longest repetition without an upper bound.
        private static let greatestExcess = 8
        private static let greatestCount = 1000

        mutating func alternatives() -> Part? {
            var parts: [Part] = []
            repeat {
                guard let part = sequence() else { return nil }
                parts.append(part)
            } while take("|")
            return parts.count == 1 ? parts[0] : .alternatives(parts)
        }

        private mutating func sequence() -> Part? {
            var parts: [Part] = []
            while let next = rest.first, next != "|", next != ")" {
                // The whole text must match, so anchors add nothing.
                if take("^") || take("$") { continue }
                guard let single = single(), let part = repetition(of: single) else { return nil }
                parts.append(part)
            }
            return .sequence(parts)
        }

        private mutating func single() -> Part? {
            switch rest.removeFirst() {
            case "(":
                if take("?"), !take(":") { return nil }
                depth += 1
                defer { depth -= 1 }
                guard depth <= Self.greatestDepth, let part = alternatives(), take(")") else { return nil }
                return part
            case "[": return set()
            case "\\": return escape().map { .characters($0) }
            case ".": return .characters(Self.all)
            case "*", "+", "?", "{": return nil
            case let character: return .characters([character])
            }
        }

        private mutating func repetition(of part: Part) -> Part? {
            var range: ClosedRange<Int>?
            if take("*") {
                range = 0...Self.greatestExcess
            } else if take("+") {
                range = 1...1 + Self.greatestExcess
            } else if take("?") {
                range = 0...1
            } else if take("{") {
                let text = rest.prefix { $0 != "}" }
                rest = rest.dropFirst(text.count)
                let bounds = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
                guard take("}"), bounds.count <= 2, let least = bounds[0], (0...Self.greatestCount).contains(least)
                else { return nil }
                let greatest = bounds.count == 1 ? least : bounds[1] ?? least + Self.greatestExcess
                guard greatest >= least, greatest <= Self.greatestCount else { return nil }
                range = least...greatest
            }
            guard let range else { return part }
            // The same texts match, whether or not the repetition takes as much as possible.
            _ = take("?") || take("+")
            return .repeated(part, range)
        }

        private mutating func escape() -> [Character]? {
            guard let character = rest.popFirst() else { return nil }
            switch character {
            case "d": return Self.digits
            case "w": return Self.letters + Self.digits + ["_"]
            case "s": return [" "]
            case "n": return ["\n"]
            case "t": return ["\t"]
            default: return character.isLetter || character.isNumber ? nil : [character]
            }
        }

        private mutating func set() -> Part? {
            let isNegated = take("^")
            var characters: [Character] = []
            while let next = rest.popFirst(), next != "]" {
                if next == "[" || next == "&" { return nil }
                guard next != "\\" else {
                    guard let escaped = escape() else { return nil }
                    characters += escaped
                    continue
                }
                guard rest.first == "-", let last = rest.dropFirst().first, last != "]" else {
                    characters.append(next)
                    continue
                }
                rest = rest.dropFirst(2)
                guard let first = next.unicodeScalars.first?.value, let end = last.unicodeScalars.first?.value,
                    first <= end, last != "\\"
                else { return nil }
                characters += (first...end).compactMap { Unicode.Scalar($0).map { Character($0) } }
            }
            if isNegated { characters = Self.all.filter { !characters.contains($0) } }
            return characters.isEmpty ? nil : .characters(characters)
        }

        private mutating func take(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }
    }
}
