public import DataModel
import Foundation

/// Looks up findings in their files: the exact place, whether the author silenced the finding, and the bytes that a fix
/// changes.
///
/// A file is read once, and only if there is a finding in it. A finding that cannot be looked up, because the file
/// changed or cannot be read, stays unchanged.
public struct FindingResolver {
    /// A file's text with its parts that are looked up repeatedly.
    private struct Document {
        var source: SourceDocument
        /// The codes that are silenced, by the element whose `userInfo` silences them.
        var silencedCodes: [Int: Set<String>]

        init?(_ bytes: [UInt8]) {
            guard let source = SourceDocument(bytes) else { return nil }
            self.source = source
            silencedCodes = source.silencedCodes
        }
    }

    private var documents: [String: Document?] = [:]
    private var texts = ModelTexts()

    /// Makes a resolver that reads files when it needs them.
    public init(_ texts: ModelTexts = ModelTexts()) {
        self.texts = texts
    }

    /// Makes a resolver for a file that is in memory.
    init(_ bytes: [UInt8], file: String) {
        documents[file] = Document(bytes)
    }

    /// The findings that are not silenced, each at the XML attribute that it is about.
    ///
    /// An entry `ashlar.silence` in the `userInfo` of an element silences the warnings and notes with its codes about
    /// the element and its contents. Errors are not silenced.
    public mutating func resolved(_ diagnostics: Diagnostics) -> Diagnostics {
        var result = Diagnostics()
        for var finding in diagnostics.all where finding.severity == .error || !isSilenced(finding) {
            if let place = placeOfAttribute(of: finding) {
                finding.location = place
                finding.attributeName = nil
            }
            result.report(finding)
        }
        return result
    }

    /// The edits that a fix consists of, all in one file; nil when it cannot be made exactly.
    public mutating func edits(of fix: Diagnostic.Fix) -> [TextEdit]? {
        guard let file = fix.changes.first?.element.file, fix.changes.allSatisfy({ $0.element.file == file }),
            let document = document(file)?.source, let replacements = document.replacements(for: fix.changes)
        else { return nil }
        return replacements.map { replacement in
            TextEdit(
                file: file, range: replacement.range, start: document.location(replacement.range.lowerBound, in: file),
                end: document.location(replacement.range.upperBound, in: file), replacement: replacement.text)
        }
    }

    /// The place after the subject of a finding: after the XML attribute, or after the name of the element.
    public mutating func end(of finding: Diagnostic) -> SourceLocation? {
        guard let (document, index, offset) = element(of: finding) else { return nil }
        let element = document.elements[index]
        if element.startTag.lowerBound == offset {
            return document.location(element.nameRange.upperBound, in: finding.location.file)
        }
        return element.attributes.first { $0.range.lowerBound == offset }
            .map { document.location($0.range.upperBound, in: finding.location.file) }
    }

    /// The bytes of a file as the resolver has read it; nil when it could not.
    public mutating func bytes(ofFile file: String) -> [UInt8]? { document(file)?.source.bytes }

    /// Returns whether a finding is about an element with one of some names, or about something in one.
    public mutating func isFinding(_ finding: Diagnostic, inElementNamed names: Set<String>) -> Bool {
        guard let (document, index, _) = element(of: finding) else { return false }
        var current: Int? = index
        while let index = current {
            if names.contains(document.name(of: document.elements[index])) { return true }
            current = document.elements[index].parent
        }
        return false
    }

    /// The subject of a finding: its XML attribute, if it is about one, and the places of its element and of those around
    /// that, the innermost first.
    package mutating func subject(of finding: Diagnostic) -> (attribute: String?, elements: [SourceLocation]) {
        guard let (document, index, offset) = element(of: finding) else { return (finding.attributeName, []) }
        let attribute = document.elements[index].attributes.first { $0.range.lowerBound == offset }
        var places: [SourceLocation] = []
        var current: Int? = index
        while let index = current {
            places.append(document.location(document.elements[index].startTag.lowerBound, in: finding.location.file))
            current = document.elements[index].parent
        }
        return (attribute.map { document.text($0.nameRange) } ?? finding.attributeName, places)
    }

    private mutating func isSilenced(_ finding: Diagnostic) -> Bool {
        guard let codes = document(finding.location.file)?.silencedCodes, !codes.isEmpty,
            let (document, index, _) = element(of: finding)
        else { return false }
        var current: Int? = index
        while let index = current {
            if codes[index]?.contains(finding.code.rawValue) == true { return true }
            current = document.elements[index].parent
        }
        return false
    }

    private mutating func placeOfAttribute(of finding: Diagnostic) -> SourceLocation? {
        guard let name = finding.attributeName, let (document, index, _) = element(of: finding),
            let attribute = document.attribute(name, of: document.elements[index])
        else { return nil }
        return document.location(attribute.range.lowerBound, in: finding.location.file)
    }

    /// The element that a finding is in, and the offset of its place.
    private mutating func element(of finding: Diagnostic) -> (SourceDocument, Int, Int)? {
        let place = finding.location
        guard let document = document(place.file)?.source,
            let offset = document.offset(line: place.line, column: place.column),
            let index = document.element(startingAtOrBefore: offset)
        else { return nil }
        return (document, index, offset)
    }

    private mutating func document(_ file: String) -> Document? {
        if let known = documents[file] { return known }
        var diagnostics = Diagnostics()
        let isContents = file.split(separator: "/").last == "contents"
        let bytes = isContents ? texts.bytes(ofFile: file, reportingTo: &diagnostics) : nil
        let document = bytes.flatMap { Document($0) }
        documents[file] = .some(document)
        return document
    }
}

extension SourceDocument {
    fileprivate func location(_ offset: Int, in file: String) -> SourceLocation {
        let (line, column) = position(of: offset)
        return SourceLocation(file: file, line: line, column: column)
    }

    /// The codes that elements silence by their own `userInfo`.
    fileprivate var silencedCodes: [Int: Set<String>] {
        var codes: [Int: Set<String>] = [:]
        for entry in elements {
            guard let info = entry.parent, let owner = elements[info].parent, name(of: entry) == "entry",
                name(of: elements[info]) == "userInfo", let key = attribute("key", of: entry),
                value(of: key) == UserInfo.silenceKey, let text = attribute("value", of: entry)
            else { continue }
            codes[owner, default: []].formUnion(SilencedCodes.parse(value(of: text)))
        }
        return codes
    }
}
