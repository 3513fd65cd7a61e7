/// Texts that are inserted into a manifest, without changing any byte of it.
struct ManifestEdits {
    private struct Insertion {
        var position: Int
        var text: String
    }

    private let manifest: PackageManifest
    private var insertions: [Insertion] = []
    private let lineBreak: String

    init(_ manifest: PackageManifest) {
        self.manifest = manifest
        let first = manifest.bytes.firstIndex(of: 0x0A) ?? 0
        lineBreak = first > 0 && manifest.bytes[first - 1] == 0x0D ? "\r\n" : "\n"
    }

    /// The manifest with the insertions. Those at one place are in the order in which they were made.
    var text: String {
        var bytes = manifest.bytes
        for insertion in insertions.enumerated().sorted(by: { ($0.1.position, $0.0) > ($1.1.position, $1.0) }) {
            bytes.insert(contentsOf: insertion.element.text.utf8, at: insertion.element.position)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds an element to the list that tokens are.
    mutating func append(_ element: String, toListAt range: Range<Int>) {
        let tokens = manifest.tokens
        let close = tokens[range.upperBound - 1].range.lowerBound
        guard range.count > 2 else { return insert(element, at: tokens[range.lowerBound].range.upperBound) }
        let last = tokens[range.upperBound - 2]
        let hasComma = last.isMark(",")
        let start = lineStart(of: close)
        guard start > last.range.upperBound else {
            return insert((hasComma ? " " : ", ") + element, at: last.range.upperBound)
        }
        if !hasComma { insert(",", at: last.range.upperBound) }
        let first = tokens[range.lowerBound + 1].range.lowerBound
        let indentation = self.indentation(of: first) ?? self.indentation(atLineOf: close) + "    "
        insert(indentation + element + (hasComma ? "," : "") + lineBreak, at: start)
    }

    /// Adds an argument to a call behind another one.
    mutating func add(_ label: String, _ value: String, behind argument: SwiftCall.Argument) {
        let end = manifest.tokens[argument.value.upperBound - 1].range.upperBound
        let start = manifest.tokens[argument.start].range.lowerBound
        if let indentation = indentation(of: start) {
            insert("," + lineBreak + "\(indentation)\(label): \(value)", at: end)
        } else {
            insert(", \(label): \(value)", at: end)
        }
    }

    private mutating func insert(_ text: String, at position: Int) {
        insertions.append(Insertion(position: position, text: text))
    }

    private func lineStart(of position: Int) -> Int {
        (manifest.bytes[..<position].lastIndex(of: 0x0A) ?? -1) + 1
    }

    /// Returns the text before a position in its line, if it consists only of spaces.
    private func indentation(of position: Int) -> String? {
        let before = manifest.bytes[lineStart(of: position)..<position]
        return before.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? String(decoding: before, as: UTF8.self) : nil
    }

    private func indentation(atLineOf position: Int) -> String {
        let line = manifest.bytes[lineStart(of: position)...].prefix { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: line, as: UTF8.self)
    }
}
