import Foundation

/// What programs said they saved, and whether it is found in the end.
struct Ledger {
    /// What is known of a change: it may have been saved, when the program was killed before it said so.
    enum Certainty { case saved, unknown }

    private struct Inserted {
        var kind: String
        var parents: Set<String>
        var certainty: Certainty
    }

    private var inserted: [String: Inserted] = [:]
    private var deleted: [String: Certainty] = [:]
    private var sums: [String: (saved: Int64, unknown: Int64)] = [:]
    private var attempts: [Int: [[String]]] = [:]
    private(set) var operations = 0

    /// Takes a line that a program said.
    mutating func read(_ line: String, from peer: Int) {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "try": attempts[peer, default: []].append(Array(words.dropFirst()))
        case "saved": count(peer, .saved)
        case "refused": attempts[peer] = nil
        default: break
        }
    }

    /// A program was killed: what it was about to save was saved, or not.
    mutating func lose(_ peer: Int) { count(peer, .unknown) }

    private mutating func count(_ peer: Int, _ certainty: Certainty) {
        for words in attempts.removeValue(forKey: peer) ?? [] {
            operations += 1
            let tag = words[words[0] == "insert" ? 2 : 1]
            switch words[0] {
            case "insert":
                inserted[tag] = Inserted(kind: words[1], parents: Set(words.dropFirst(3)), certainty: certainty)
            case "parent": inserted[tag]?.parents.insert(words[2])
            case "delete": deleted[tag] = deleted[tag] == .saved ? .saved : certainty
            case "add":
                var sum = sums["\(tag) \(words[2])"] ?? (0, 0)
                let number = Int64(words[3]) ?? 0
                if certainty == .saved { sum.saved += number } else { sum.unknown += number }
                sums["\(tag) \(words[2])"] = sum
            default: break
            }
        }
    }

    /// What is not as it has to be.
    ///
    /// - Parameters:
    ///   - objects: What the stores have in the end, by tag: the entity and the counters.
    ///   - events: The texts of all events of all stores.
    func problems(_ objects: [String: (kind: String, values: [String: Int64])], events: [String]) -> [String] {
        var problems: [String] = []
        let told = Set(events.flatMap { Self.tags(in: $0) })
        for (tag, object) in objects where inserted[tag]?.kind != object.kind {
            problems.append("\(object.kind) \(tag) was never inserted")
        }
        for (tag, object) in inserted where object.certainty == .saved && objects[tag] == nil {
            let mayBeGone =
                deleted[tag] != nil || told.contains(tag)
                // A parent that was deleted took it along, also where it came back because somebody else changed it.
                || object.parents.contains { parent in objects[parent] == nil || deleted[parent] != nil }
            if !mayBeGone { problems.append("\(object.kind) \(tag) was saved, and is gone without a word") }
        }
        for (tag, certainty) in deleted where certainty == .saved && objects[tag] != nil {
            // People come back where somebody else changed them.
            if objects[tag]?.kind == "Person" || told.contains(tag) { continue }
            problems.append("\(tag) was deleted, and is there without a word")
        }
        for (tag, object) in objects where deleted[tag] == nil && !told.contains(tag) {
            for (name, value) in object.values where name != "score" {
                let sum = sums["\(tag) \(name)"] ?? (0, 0)
                if value < sum.saved || value > sum.saved + sum.unknown {
                    problems.append(
                        "\(tag).\(name) is \(value), and \(sum.saved) were added, and perhaps \(sum.unknown)")
                }
            }
        }
        return problems.sorted()
    }

    /// The tags that a text names: `peer2.1.35`, say.
    private static func tags(in text: String) -> [String] {
        text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == ".") }.map(String.init)
            .filter { $0.hasPrefix("peer") }
    }
}
