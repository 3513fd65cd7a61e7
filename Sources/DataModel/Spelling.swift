/// Finds what an author may have meant by a name that does not exist.
package enum Spelling {
    /// The candidate that is closest to a name; nil when none is close.
    ///
    /// Close is what differs in case only, else in at most two letters and a third of them.
    package static func closest(to name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased())
        guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
        let limit = min(2, wanted.count / 3)
        var best: (distance: Int, candidate: String)?
        for candidate in candidates where candidate != name {
            let letters = Array(candidate.lowercased())
            if abs(letters.count - wanted.count) > limit { continue }
            let distance = distance(wanted, letters)
            if distance > limit { continue }
            // Candidates may come in any order; the answer may not depend on it.
            if let current = best, (current.distance, current.candidate) <= (distance, candidate) { continue }
            best = (distance, candidate)
        }
        return best?.candidate
    }

    /// The number of letters to insert, delete or replace to get from one text to the other.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var previous = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[second.count]
    }
}
