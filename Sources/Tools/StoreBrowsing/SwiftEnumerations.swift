import Foundation
import Synchronization

/// The enumerations in a package's sources whose raw values attributes store.
final class SwiftEnumerations: Sendable {
    /// A case of an enumeration with its raw value as text.
    struct Case: Hashable, Sendable {
        var name: String
        var rawValue: String
    }

    private let root: URL?
    private let found = Mutex<[String: [Case]]>([:])

    /// The enumerations of the package that a model is in; none if it is not in a package.
    init(besides modelPath: String?) {
        var folder = modelPath.map { URL(fileURLWithPath: $0).standardizedFileURL.deletingLastPathComponent() }
        while let current = folder, current.path != "/",
            !FileManager.default.fileExists(atPath: current.appendingPathComponent("Package.swift").path)
        {
            folder = current.deletingLastPathComponent()
        }
        root = folder.flatMap { $0.path == "/" ? nil : $0 }
    }

    /// The cases of the enumeration with a name; empty if no source declares it with raw values.
    func cases(of name: String) -> [Case] {
        if let known = found.withLock({ $0[name] }) { return known }
        let cases = search(name)
        found.withLock { $0[name] = cases }
        return cases
    }

    /// The size in bytes of the largest source that is searched, and the largest number of sources.
    private static let (largestSource, sourceLimit) = (1 << 20, 5000)

    private func search(_ name: String) -> [Case] {
        guard let root, name.allSatisfy({ $0.isLetter || $0.isNumber || "_.".contains($0) }),
            let last = name.split(separator: ".").last,
            let files = FileManager.default.enumerator(
                at: root, includingPropertiesForKeys: [.fileSizeKey], options: [.skipsHiddenFiles])
        else { return [] }
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" && count < Self.sourceLimit {
            count += 1
            let size = (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
            guard size < Self.largestSource, let text = try? String(contentsOf: file, encoding: .utf8),
                text.contains("enum \(last)")
            else { continue }
            let cases = Self.cases(of: String(last), in: text)
            if !cases.isEmpty { return cases }
        }
        return []
    }

    /// The cases of an enumeration in a source; empty if it has none, or no raw values.
    static func cases(of name: String, in source: String) -> [Case] {
        let text = source.replacing(#/(?s)/\*.*?\*/|//[^\n]*/#, with: "")
        guard let head = try? Regex("\\benum \(name)\\s*:\\s*([A-Za-z0-9]+)[^{]*\\{", as: (Substring, Substring).self),
            let match = text.firstMatch(of: head)
        else { return [] }
        let isText = match.output.1 == "String"
        if !isText, match.output.1.wholeMatch(of: #/U?Int(8|16|32|64)?/#) == nil { return [] }
        var cases: [Case] = []
        var next = 0
        for line in topLevel(text[match.range.upperBound...]).matches(of: #/\bcase\s+([^\n;]+)/#) {
            let parts = line.output.1.matches(of: #/`?(\w+)`?(?:\s*=\s*(?:"([^"\\]*)"|(-?[0-9_]+)))?\s*(?:,|$)/#)
            for part in parts {
                let caseName = String(part.output.1)
                if let number = part.output.3.flatMap({ Int($0.filter { $0 != "_" }) }) { next = number }
                let rawValue = isText ? part.output.2.map(String.init) ?? caseName : "\(next)"
                cases.append(Case(name: caseName, rawValue: rawValue))
                next += 1
            }
        }
        return cases
    }

    /// The text up to the bracket that closes it, without anything in brackets of its own.
    private static func topLevel(_ text: Substring) -> String {
        var depth = 0
        var result = ""
        for character in text {
            if character == "{" { depth += 1 }
            if character == "}" {
                depth -= 1
                if depth < 0 { break }
                continue
            }
            if depth == 0 { result.append(character) }
        }
        return result
    }
}
