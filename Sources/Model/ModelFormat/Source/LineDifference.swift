/// The differences between two texts, line by line, as in `diff -u`.
public struct LineDifference: Sendable {
    /// A line of the difference.
    public enum Line: Sendable, Hashable {
        case common(String)
        case removed(String)
        case added(String)

        /// The line with its mark.
        public var text: String {
            switch self {
            case .common(let line): " " + line
            case .removed(let line): "-" + line
            case .added(let line): "+" + line
            }
        }
    }

    private let lines: [Line]

    /// Compares two texts; line breaks may be of either kind.
    public init(from old: [UInt8], to new: [UInt8]) {
        let before = Self.lines(old)
        let after = Self.lines(new)
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for change in after.difference(from: before) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var result: [Line] = []
        var (first, second) = (0, 0)
        while first < before.count || second < after.count {
            if first < before.count, removed.contains(first) {
                result.append(.removed(before[first]))
                first += 1
            } else if second < after.count, added.contains(second) {
                result.append(.added(after[second]))
                second += 1
            } else {
                result.append(.common(before[first]))
                first += 1
                second += 1
            }
        }
        lines = result
    }

    /// Shows the effect of edits: the lines from the first to the last changed one.
    public init(making edits: [TextEdit], in bytes: [UInt8]) {
        let newline = UInt8(ascii: "\n")
        let first = edits.map(\.range.lowerBound).min() ?? 0
        let last = edits.map(\.range.upperBound).max() ?? 0
        let start = bytes[..<first].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[last...].firstIndex(of: newline) ?? bytes.count
        let shifted = edits.map { edit in
            var edit = edit
            edit.range = edit.range.lowerBound - start..<edit.range.upperBound - start
            return edit
        }
        let part = Array(bytes[start..<end])
        self.init(from: part, to: shifted.applied(to: part))
    }

    /// The lines that differ.
    public var changes: [Line] {
        lines.filter { if case .common = $0 { false } else { true } }
    }

    /// The differences as a patch of a file, with three lines around each.
    public func patch(ofFile file: String) -> String {
        var text = "--- \(file)\n+++ \(file)\n"
        for range in hunks {
            let before = lines[..<range.lowerBound]
            let hunk = lines[range]
            let first = before.count { $0.isOld } + 1
            let second = before.count { $0.isNew } + 1
            text += "@@ -\(first),\(hunk.count { $0.isOld }) +\(second),\(hunk.count { $0.isNew }) @@\n"
            for line in hunk { text += line.text + "\n" }
        }
        return text
    }

    private var hunks: [Range<Int>] {
        var result: [Range<Int>] = []
        for index in lines.indices {
            if case .common = lines[index] { continue }
            let around = max(index - 3, 0)..<min(index + 4, lines.count)
            if let last = result.last, last.upperBound >= around.lowerBound {
                result[result.count - 1] = last.lowerBound..<around.upperBound
            } else {
                result.append(around)
            }
        }
        return result
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        var parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts.map { String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self) }
    }
}

extension LineDifference.Line {
    fileprivate var isOld: Bool { if case .added = self { false } else { true } }
    fileprivate var isNew: Bool { if case .removed = self { false } else { true } }
}
