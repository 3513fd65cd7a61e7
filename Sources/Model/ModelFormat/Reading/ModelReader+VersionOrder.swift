import DataModel

extension ModelReader {
    /// The names of the versions in a bundle, sorted by age as far as names determine it.
    package static func versionNames(inBundle path: String) -> [String] {
        ordered(ModelFiles.versionNames(inBundle: path), bundleName: ModelFiles.name(ofPath: path))
    }

    /// Sorts the names of versions by age, as far as names determine it.
    ///
    /// The common beginning of all names (the bundle's name, or that of a version) is ignored. The last number in the
    /// rest decides, which may have several parts: `2.9` is before `2.10`, and `2018-12-07` before `2019-01-05`. A
    /// name without a number comes first. Then the whole names decide, with numbers in them compared as such.
    public static func ordered(_ names: [String], bundleName: String) -> [String] {
        let prefix = commonPrefix(of: names, bundleName: bundleName)
        let keyed = names.map { name in
            (number: lastNumber(in: name.dropFirst(prefix.count)), chunks: chunks(of: name), name: name)
        }
        return keyed.sorted { left, right in
            if left.number != right.number { return left.number.lexicographicallyPrecedes(right.number) }
            if left.chunks != right.chunks { return left.chunks.lexicographicallyPrecedes(right.chunks) }
            return left.name < right.name
        }
        .map(\.name)
    }

    private static func commonPrefix(of names: [String], bundleName: String) -> String {
        let shortest = names.min { ($0.count, $0) < ($1.count, $1) } ?? ""
        let candidates = [bundleName, shortest].filter { !$0.isEmpty }
        let isCommon = { (candidate: String) in
            names.allSatisfy { name in
                guard name.hasPrefix(candidate) else { return false }
                // `Model1` is not a prefix of `Model10`.
                let next = name.dropFirst(candidate.count).first
                return !(candidate.last?.isNumber ?? false) || !(next?.isNumber ?? false)
            }
        }
        return candidates.filter(isCommon).max { $0.count < $1.count } ?? ""
    }

    /// The parts of the last number in a text; empty when there is none.
    private static func lastNumber(in text: Substring) -> [Chunk] {
        var parts: [Chunk] = []
        var rest = text[...]
        while let last = rest.lastIndex(where: \.isASCIIDigit) {
            // Further parts stand before it, with one separator between.
            let between = rest[rest.index(after: last)...]
            if !parts.isEmpty && !(between.count == 1 && between.allSatisfy { ".-_".contains($0) }) { break }
            let digits = rest[...last].reversed().prefix(while: \.isASCIIDigit)
            parts.insert(Chunk(digits: String(digits.reversed())), at: 0)
            rest = rest[...last].dropLast(digits.count)
        }
        return parts
    }

    /// The numbers in a text and the parts between them.
    private static func chunks(of text: String) -> [Chunk] {
        var result: [Chunk] = []
        var rest = Substring(text)
        while let first = rest.first {
            let part = rest.prefix { $0.isASCIIDigit == first.isASCIIDigit }
            result.append(first.isASCIIDigit ? Chunk(digits: String(part)) : Chunk(text: part.lowercased()))
            rest = rest.dropFirst(part.count)
        }
        return result
    }
}

/// A part of a version's name: numbers sort by value, and before text.
private struct Chunk: Comparable {
    var digitCount: Int
    var text: String

    init(digits: String) {
        let significant = digits.drop { $0 == "0" }
        digitCount = significant.count
        text = String(significant)
    }

    init(text: String) {
        digitCount = Int.max
        self.text = text
    }

    static func < (left: Chunk, right: Chunk) -> Bool {
        (left.digitCount, left.text) < (right.digitCount, right.text)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
