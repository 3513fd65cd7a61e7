import PredicateFormat

/// Finds the name that an author probably meant by one that does not exist.
package enum Spelling {
    /// The candidate that is closest to a name; nil if none is close.
    ///
    /// A candidate is close if it differs only in case, or else in at most two letters and at most a third of them. Two
    /// swapped letters count as one.
    package static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased())
        guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
        let limit = min(2, wanted.count / 3)
        var best: (distance: Int, candidate: String)?
        for candidate in candidates where candidate != name {
            let letters = Array(candidate.lowercased())
            if abs(letters.count - wanted.count) > limit { continue }
            let distance = NameSuggestion.editDistance(wanted, letters)
            if distance > limit { continue }
            // Candidates may come in any order; the answer may not depend on it.
            if let current = best, (current.distance, current.candidate) <= (distance, candidate) { continue }
            best = (distance, candidate)
        }
        return best?.candidate
    }

    /// Returns whether two names may be of one thing: they share a word, or are spelt almost alike.
    ///
    /// `height` and `pixelHeight` do, and `image` and `images`; `width` and `pixelHeight` do not.
    package static func haveSomethingInCommon(_ first: String, _ second: String) -> Bool {
        let (words, others) = (words(of: first), words(of: second))
        let isShared = words.contains { word in
            others.contains { other in
                let (short, long) = word.count < other.count ? (word, other) : (other, word)
                return short == long || short.count >= 3 && long.hasPrefix(short)
            }
        }
        if isShared { return true }
        let letters = Array(words.joined())
        let otherLetters = Array(others.joined())
        let limit = max(letters.count, otherLetters.count) / 3
        guard abs(letters.count - otherLetters.count) <= limit, max(letters.count, otherLetters.count) <= 100 else {
            return false
        }
        return NameSuggestion.editDistance(letters, otherLetters) <= limit
    }

    /// The words of a name in small letters: `pixelHeight` and `pixel_height` have two.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasUppercase = false
        for letter in name {
            let isUppercase = letter.isUppercase
            if !(letter.isLetter || letter.isNumber) || isUppercase && !wasUppercase {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if letter.isLetter || letter.isNumber { word += letter.lowercased() }
            wasUppercase = isUppercase
        }
        if !word.isEmpty { words.append(word) }
        // A prefix that all names have, such as `s_`, is not significant.
        let long = words.filter { $0.count > 1 }
        return long.isEmpty ? words : long
    }
}
