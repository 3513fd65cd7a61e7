import DataModel

/// A part of a line of text, with the colour that it has on a terminal.
struct TextSpan: Hashable {
    /// The role of a part, which determines its style.
    enum Role {
        case plain
        case error
        case warning
        case note
        case place
        case added
        case removed

        /// The numbers of ECMA-48's SGR command; nil for plain text.
        fileprivate var attributes: String? {
            switch self {
            case .plain: nil
            case .error: "1;31"
            case .warning: "1;35"
            case .note: "1;36"
            case .place: "1"
            case .added: "32"
            case .removed: "31"
            }
        }
    }

    var text: String
    var role = Role.plain

    init(_ text: String, _ role: Role = .plain) {
        self.text = text
        self.role = role
    }

    /// The parts as one line, in which only the tool's own colours are commands to a terminal.
    static func text(_ spans: [TextSpan], isColoured: Bool) -> String {
        spans.map { span in
            let text = TerminalText.line(span.text)
            guard isColoured, let attributes = span.role.attributes else { return text }
            return "\u{1B}[\(attributes)m\(text)\u{1B}[0m"
        }.joined()
    }
}

extension TextSpan.Role {
    init(_ severity: Diagnostic.Severity) {
        switch severity {
        case .error: self = .error
        case .warning: self = .warning
        case .note: self = .note
        }
    }
}

extension Diagnostic {
    /// The finding as compilers print it, and its notes, in lines with colours; without its fixes.
    var lines: [[TextSpan]] {
        func line(_ severity: Severity, _ text: String) -> [TextSpan] {
            [
                TextSpan("\(location): ", .place), TextSpan("\(severity.rawValue): ", TextSpan.Role(severity)),
                TextSpan(text),
            ]
        }
        return [line(severity, "\(message) [\(code.rawValue)]")] + notesBesidesFixes.map { line(.note, $0) }
    }
}
