import DataModel
import Foundation
import ModelFormat

extension ModelServer {
    /// A finding as the client shows it in a file.
    func json(_ finding: Diagnostic, in file: String, _ resolver: inout FindingResolver) -> JSONValue {
        let range = range(of: finding, in: file, &resolver)
        let severity =
            switch finding.severity {
            case .error: 1
            case .warning: 2
            case .note: 3
            }
        let code = finding.code.rawValue
        let link = client.acceptsCodeLinks ? documentation(ofModelAtPath: file) : nil
        let related = client.acceptsRelatedPlaces ? relatedPlaces(of: finding) : []
        return .members([
            "range": range, "severity": .integer(severity), "code": .string(code), "source": "ashlar",
            "codeDescription": link.map { ["href": .string("\(FileURI.uri($0))#\(code)")] },
            "message": .string(([finding.message] + finding.notesBesidesFixes).joined(separator: "\n")),
            "relatedInformation": related.isEmpty ? nil : .array(related),
        ])
    }

    /// The text of a file, open or not.
    func text(_ file: String) -> DocumentText? {
        if let document = documents[file] { return document.text }
        if let version = versionText(file) { return version.text }
        return Self.bytes(atPath: file).map { DocumentText([UInt8]($0)) }
    }

    /// The offset of a place in a file; nil where there is no such place.
    func offset(of location: SourceLocation) -> Int? {
        if let version = versionText(location.file) { return version.offset(of: location) }
        guard location.line > 0, let text = text(location.file) else { return nil }
        return SourceLines(text.bytes).offset(line: location.line, column: max(location.column, 1))
    }

    /// The bytes that a finding is about; nil where it is about a whole file.
    func bytes(of finding: Diagnostic, _ resolver: inout FindingResolver) -> Range<Int>? {
        guard let start = offset(of: finding.location) else { return nil }
        if let end = resolver.end(of: finding).flatMap({ offset(of: $0) }), end > start { return start..<end }
        // Within a value or a script, the range is the word.
        guard let bytes = text(finding.location.file)?.bytes else { return nil }
        var end = start
        while end < bytes.count, !Self.endsWord(bytes[end]) { end += 1 }
        return start..<min(max(end, start + 1), bytes.count)
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte <= 0x20 || [0x22, 0x27, 0x28, 0x29, 0x2C, 0x3B, 0x3C, 0x3E].contains(byte)
    }

    private func range(of finding: Diagnostic, in file: String, _ resolver: inout FindingResolver) -> JSONValue {
        guard finding.location.file == file, let range = bytes(of: finding, &resolver), let text = text(file) else {
            let start = Position(line: 0, character: 0).json
            return ["start": start, "end": start]
        }
        return text.range(range, client.encoding)
    }

    /// The page that explains the codes, of the package that the model uses; nil where it is not found.
    private func documentation(ofModelAtPath path: String) -> String? {
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            for start in [".build/checkouts/ashlar/", ""] {
                let page = folder.appending(path: start + "Documentation/Diagnostics.md").path
                if FileManager.default.fileExists(atPath: page) { return page }
            }
            folder = folder.deletingLastPathComponent()
        }
        return nil
    }

    /// The other places that a finding is about: those that its notes name, and the other side of an inverse.
    private func relatedPlaces(of finding: Diagnostic) -> [JSONValue] {
        var result: [JSONValue] = []
        for note in finding.notes {
            guard let match = note.firstMatch(of: #/(/[^:]+):(\d+):(\d+)$/#), let line = Int(match.2),
                let column = Int(match.3)
            else { continue }
            let location = SourceLocation(file: String(match.1), line: line, column: column)
            if let place = place(of: location) { result.append(["location": place, "message": .string(note)]) }
        }
        guard finding.code.rawValue.contains("inverse"), let version = versionText(finding.location.file),
            let graph = version.graph, let start = version.offset(of: finding.location),
            let index = version.document?.element(startingAtOrBefore: start), let document = version.document,
            let tag = version.location(of: document.elements[index].startTag.lowerBound)
        else { return result }
        for entity in graph.model.entities {
            guard let relationship = entity.relationships.first(where: { $0.location == tag }) else { continue }
            if let (owner, inverse) = graph.inverse(of: relationship), let place = place(of: inverse.location) {
                result.append([
                    "location": place, "message": .string("'\(owner.name).\(inverse.name)' is named as the inverse"),
                ])
            } else if let owner = graph.entity(named: relationship.destinationName),
                let place = place(of: owner.location)
            {
                result.append(["location": place, "message": .string("'\(owner.name)' is the destination")])
            }
        }
        return result
    }

    /// The location of an element's name, in the form that the client expects.
    func place(of location: SourceLocation) -> JSONValue? {
        guard let text = text(location.file), let start = offset(of: location) else { return nil }
        var range = start..<start
        if let document = versionText(location.file)?.document, let index = document.element(at: start) {
            range = document.nameRange(of: document.elements[index])
        }
        return ["uri": .string(uri(location.file)), "range": text.range(range, client.encoding)]
    }

    /// The URI of a file, as the client writes it if it is open.
    func uri(_ file: String) -> String { documents[file]?.uri ?? FileURI.uri(file) }
}

extension SourceDocument {
    /// The value of an element's name, else the name of its tag.
    func nameRange(of element: Element) -> Range<Int> {
        attribute("name", of: element)?.valueRange ?? element.nameRange
    }
}
