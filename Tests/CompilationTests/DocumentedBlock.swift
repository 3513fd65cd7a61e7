import Foundation

/// A piece of Swift in the documentation: between fences of a page, or indented in a doc comment.
struct DocumentedBlock {
    /// The file, relative to the package.
    var file: String

    /// The number of its first line, beginning with 1.
    var line: Int

    var lines: [String]

    /// The reason why it is not compiled; nil if it is compiled.
    var reason: String?

    /// Whether it belongs to a package's manifest, which is compiled by itself.
    var isManifest: Bool { lines.contains { $0.contains("package(url:") || $0.contains(".product(name:") } }
}

extension DocumentedBlock {
    /// The blocks between fences of a page of Markdown, in order.
    ///
    /// A comment on the line before a block, `<!-- not compiled: reason -->`, excepts it.
    static func fenced(in text: String, of file: String, language: String = "swift") -> [DocumentedBlock] {
        var blocks: [DocumentedBlock] = []
        var block: DocumentedBlock?
        var isInFence = false
        var reason: String?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("```") {
                if isInFence {
                    if let block { blocks.append(block) }
                    block = nil
                } else if trimmed == "```\(language)" {
                    block = DocumentedBlock(file: file, line: index + 2, lines: [], reason: reason)
                }
                isInFence.toggle()
                reason = nil
            } else if isInFence {
                block?.lines.append(line)
            } else if let start = trimmed.range(of: "<!-- not compiled: "), trimmed.hasSuffix(" -->") {
                reason = String(trimmed[start.upperBound...].dropLast(4))
            } else if !trimmed.isEmpty {
                reason = nil
            }
        }
        return blocks
    }

    /// The blocks that stand indented in the doc comments of a Swift file.
    static func indented(in text: String, of file: String) -> [DocumentedBlock] {
        var blocks: [DocumentedBlock] = []
        var block: DocumentedBlock?
        var isAfterBlank = false
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            let isCode = trimmed.hasPrefix("///     ")
            if isCode, block != nil || isAfterBlank {
                block = block ?? DocumentedBlock(file: file, line: index + 1, lines: [])
                block?.lines.append(String(trimmed.dropFirst(8)))
            } else if trimmed == "///", block != nil {
                block?.lines.append("")
            } else if let finished = block {
                blocks.append(finished)
                block = nil
            }
            isAfterBlank = trimmed == "///"
        }
        return blocks
    }
}
