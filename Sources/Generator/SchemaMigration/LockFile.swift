public import DataModel
import Digests

/// The versions of a model that were released, as a file beside the model keeps them.
///
/// Each version has a line, so that git reports a conflict if two branches both release one:
///
///     CHAIN "VERSION" NAME:HASH … -NAME …
///
/// The names are the entities that differ from the line before, with their hashes, and, with a minus, those that were
/// removed; composites have `composite/` before their names. The chain is a hash of the rest of the line and of the
/// chain of the line before, so that lines can be neither changed nor put in another order unnoticed. Lines that begin
/// with `#` and empty lines are ignored.
public struct LockFile: Sendable, Hashable {
    /// A released version.
    struct Line: Sendable, Hashable {
        var versionName: String
        /// The hashes of the entities that differ from the previous version; nil for those that were removed.
        var changes: [String: String?]
        var chain: String
        /// The line in the file, from 1.
        var number: Int
    }

    /// The path of the file.
    public let path: String
    private(set) var lines: [Line] = []

    /// The names of the released versions.
    public var versionNames: Set<String> { Set(lines.map(\.versionName)) }

    /// Makes the file that locks versions of a model, the oldest first.
    public init(_ versions: [Model], path: String) {
        self.path = path
        append(versions)
    }

    /// Reads the text of a file, and reports its errors.
    public init(text: String, path: String, reportingTo diagnostics: inout Diagnostics) {
        self.path = path
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.trimmingSuffix { $0.isWhitespace }
            if words.isEmpty || words.hasPrefix("#") { continue }
            let location = SourceLocation(file: path, line: index + 1, column: 1)
            guard var line = Line(words) else {
                report("The line is not that of a version", at: location, &diagnostics)
                return
            }
            line.number = index + 1
            guard line.chain == Self.chain(of: line, after: lines.last) else {
                report(
                    "The line of version '\(line.versionName)' does not follow from the one before", at: location,
                    &diagnostics)
                return
            }
            lines.append(line)
        }
    }

    private func report(_ message: String, at location: SourceLocation, _ diagnostics: inout Diagnostics) {
        diagnostics.report(
            .invalidLockFile, at: location, "\(message): the file was edited, or two branches were merged in it",
            notes: [
                "Where two branches released a version each, one of them must come after the other and have its changes",
                "Then write all lines again: swift package ashlar lock --anew \(path.dropLast(Self.suffix.count))",
            ])
    }

    /// The suffix of the file's name, after the model's path.
    public static let suffix = ".lock"

    /// The text of the file.
    public func text(modelName: String) -> String {
        """
        # The released versions of \(modelName), by which a change of one of them is noticed.
        # Add lines with `swift package ashlar lock`, and commit this file. A line is never changed.

        """ + lines.map { "\($0.text)\n" }.joined()
    }

    /// Adds the lines of versions that follow the last, the oldest first.
    public mutating func append(_ versions: [Model]) {
        var before: [String: String] = [:]
        for line in lines {
            for (name, hash) in line.changes { before[name] = hash }
        }
        for (version, release) in zip(versions, ReleaseHashes.all(versions)) {
            var changes: [String: String?] = [:]
            for (name, hash) in release.hashes where before[name] != hash { changes[name] = hash }
            for name in before.keys where release.hashes[name] == nil { changes[name] = .some(nil) }
            let number = (lines.last?.number ?? 2) + 1
            var line = Line(versionName: version.name, changes: changes, chain: "", number: number)
            line.chain = Self.chain(of: line, after: lines.last)
            lines.append(line)
            before = release.hashes
        }
    }

    private static func chain(of line: Line, after previous: Line?) -> String {
        let text = "ashlar lock 1\n\(previous?.chain ?? "")\n\(line.content)"
        return String(SHA256.hexadecimal(of: text.utf8).prefix(32))
    }
}

extension LockFile.Line {
    /// The line without its chain.
    var content: String {
        let name = versionName.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let words = changes.sorted { $0.key < $1.key }.map { name, hash in hash.map { "\(name):\($0)" } ?? "-\(name)" }
        return (["\"\(name)\""] + words).joined(separator: " ")
    }

    var text: String { "\(chain) \(content)" }

    /// Parses a line; nil if the text is not a valid line.
    init?(_ text: Substring) {
        guard let space = text.firstIndex(of: " ") else { return nil }
        chain = String(text[..<space])
        var rest = text[text.index(after: space)...]
        guard rest.popFirst() == "\"" else { return nil }
        versionName = ""
        while let character = rest.popFirst(), character != "\"" {
            guard let next = character == "\\" ? rest.popFirst() : character else { return nil }
            versionName.append(next)
        }
        changes = [:]
        for word in rest.split(separator: " ") {
            if word.hasPrefix("-") {
                changes[String(word.dropFirst())] = .some(nil)
            } else if let colon = word.lastIndex(of: ":") {
                changes[String(word[..<colon])] = String(word[word.index(after: colon)...])
            } else {
                return nil
            }
        }
        number = 0
        // A second way to write the same line would have another chain.
        if content != text[text.index(after: space)...] { return nil }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
        var result = self
        while let last = result.last, isTrimmed(last) { result.removeLast() }
        return result
    }
}
