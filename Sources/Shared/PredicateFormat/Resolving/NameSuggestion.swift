/// Finds the name that an author may have meant by one that does not exist.
package enum NameSuggestion {
    /// The candidate closest to a name: one that differs in case only, else in at most two letters and a third of them.
    static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
        guard name.utf8.count <= 100 else { return nil }
        let wanted = Array(name.lowercased().unicodeScalars)
        let limit = min(2, wanted.count / 3)
        var best: (distance: Int, name: String)?
        for candidate in candidates where candidate != name && candidate.utf8.count <= 400 {
            let letters = Array(candidate.lowercased().unicodeScalars)
            guard abs(letters.count - wanted.count) <= limit else { continue }
            let distance = editDistance(wanted, letters)
            guard distance <= limit else { continue }
            // Candidates come in any order; the answer may not depend on it.
            if let best, (best.distance, best.name) <= (distance, candidate) { continue }
            best = (distance, candidate)
        }
        return best?.name
    }

    /// A hint that names the closest candidate, if there is one.
    static func hint(for name: String, among candidates: some Sequence<String>) -> String? {
        closest(to: name, among: candidates).map { "did you mean '\($0)'?" }
    }

    /// The number of letters to insert, delete, replace or exchange with the next to get from one text to the other.
    package static func editDistance<Letter: Equatable>(_ first: [Letter], _ second: [Letter]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                var least = min(replaced, previous[column + 1] + 1, current[column] + 1)
                // Two letters in the wrong order are one mistake.
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    least = min(least, beforePrevious[column - 1] + 1)
                }
                current.append(least)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
