import PredicateFormat

/// Why a format string is no condition on an entity.
public struct FormatError: Error, Sendable, Hashable {
    /// One mistake.
    public struct Problem: Sendable, Hashable {
        /// The kind of mistake, by a name that stays: `unknown-property`, `incompatible-types`.
        public var code: String
        /// The place in the format string, in UTF-8 bytes.
        public var range: Range<Int>
        /// What is wrong, as a sentence without a full stop.
        public var message: String
        /// What to write instead.
        public var hint: String?
    }

    /// The format string.
    public var format: String
    /// The name of the entity that the condition was to be about.
    public var entity: String
    /// The mistakes in the order of the text; never none.
    public var problems: [Problem]

    /// How much of a long format string a description shows.
    private static let shownLength = 300

    init(_ format: String, _ entity: String, _ errors: [PredicateFormatError]) {
        self.format = format
        self.entity = entity
        problems = errors.map {
            Problem(code: $0.code.rawValue, range: $0.range, message: $0.message, hint: $0.hint)
        }
    }
}

extension FormatError: CustomStringConvertible {
    public var description: String {
        let lines = problems.map { problem in
            "\n  at byte \(problem.range.lowerBound): \(problem.message)" + (problem.hint.map { "; \($0)" } ?? "")
        }
        let start = format.prefix(Self.shownLength)
        let text = start.endIndex == format.endIndex ? format : start + "…"
        return "\"\(text)\" is no condition on \(entity):" + lines.joined()
    }
}
