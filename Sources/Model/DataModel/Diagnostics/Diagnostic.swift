/// A finding about a model: the problem, its place, the reason, and a suggestion.
public struct Diagnostic: Sendable, Hashable {
    /// The severity of a finding. Only errors stop a build; notes are advice that a build does not print.
    public enum Severity: String, Sendable, Hashable, Codable {
        case note, warning, error
    }

    /// A stable name of the rule that found it, such as `unknown-destination`.
    public var code: Code
    public var severity: Severity
    public var location: SourceLocation
    /// One sentence without a full stop, naming the entity and the property.
    public var message: String
    /// Further sentences: why it matters, and what to write instead.
    public var notes: [String]
    /// Possible fixes, the most likely first. Each suffices alone.
    public var fixes: [Fix]
    /// The XML attribute that it is about, of the element at the location; nil when it is about the element, or when
    /// the location is the attribute's own.
    public var attributeName: String?

    /// Makes a finding with the severity that its code has by default.
    public init(
        _ code: Code, at location: SourceLocation, _ message: String, notes: [String] = [], fixes: [Fix] = [],
        attribute attributeName: String? = nil
    ) {
        self.code = code
        self.severity = code.defaultSeverity
        self.location = location
        self.message = message
        self.notes = notes
        self.fixes = fixes
        self.attributeName = attributeName
    }
}

extension Diagnostic {
    /// The notes that are not the title of a fix too.
    package var notesBesidesFixes: [String] { notes.filter { note in !fixes.contains { $0.title == note } } }
}

extension Diagnostic: CustomStringConvertible {
    /// The form that Xcode, SwiftPM and editors recognise: `path:line:column: error: message [code]`, then its notes
    /// and the titles of its fixes.
    public var description: String {
        var lines = ["\(location): \(severity.rawValue): \(message) [\(code.rawValue)]"]
        lines += notesBesidesFixes.map { "\(location): note: \($0)" }
        lines += fixes.map { "\(location): note: fix: \($0.title)" }
        return lines.map(TerminalText.line).joined(separator: "\n")
    }
}

/// Collects the findings of one run, so that an author sees all problems of a model at once.
public struct Diagnostics: Sendable {
    public private(set) var all: [Diagnostic] = []

    public init() {}

    /// Whether any finding is an error, in which case nothing may be generated.
    public var hasErrors: Bool { all.contains { $0.severity == .error } }

    /// Adds a finding.
    public mutating func report(_ diagnostic: Diagnostic) {
        all.append(diagnostic)
    }

    /// Adds a finding with the default severity of its code.
    public mutating func report(
        _ code: Diagnostic.Code, at location: SourceLocation, _ message: String, notes: [String] = [],
        fixes: [Diagnostic.Fix] = []
    ) {
        all.append(Diagnostic(code, at: location, message, notes: notes, fixes: fixes))
    }

    /// Adds the findings of another run.
    public mutating func report(contentsOf other: Diagnostics) {
        all += other.all
    }

    /// The findings in the order of their places, each once.
    public var sorted: [Diagnostic] {
        var seen: Set<Diagnostic> = []
        let unique = all.filter { seen.insert($0).inserted }
        return unique.enumerated()
            .sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }
            .map(\.element)
    }
}
