import Foundation
import PackagePlugin

/// Relays the tool's standard error to SwiftPM, which writes it to standard error too: a finding with the notes that
/// follow it as one diagnostic.
struct MessageRelay {
    private enum Severity: String, CaseIterable {
        case error, warning, note
    }

    private var unread = Data()
    private var severity: Severity?
    private var lines: [String] = []

    mutating func add(_ data: Data) {
        unread += data
        while let end = unread.firstIndex(of: 0x0A) {
            add(String(decoding: unread[..<end], as: UTF8.self))
            unread = Data(unread[unread.index(after: end)...])
        }
    }

    mutating func finish() {
        if !unread.isEmpty { add(String(decoding: unread, as: UTF8.self)) }
        unread = Data()
        emit()
    }

    private mutating func add(_ line: String) {
        if let (found, text) = Self.head(of: line) {
            // A note alone is a finding of its own, and one behind a finding belongs to it.
            if found == .note, severity != nil {
                lines.append(line)
            } else {
                emit()
                severity = found
                lines = [found == .note ? line : text]
            }
        } else if severity != nil {
            lines.append(line)
        } else {
            // Progress, which is shown with --verbose only.
            Diagnostics.remark(line)
        }
    }

    /// The severity and the text of a line that begins a message, `error: …` or `Models/…:5:6: warning: …`. The text
    /// lacks the word for the severity, because SwiftPM writes it itself.
    private static func head(of line: String) -> (Severity, String)? {
        if line.hasPrefix(" ") { return nil }
        let places = Severity.allCases.compactMap { severity -> (Severity, Range<String.Index>)? in
            if line.hasPrefix("\(severity.rawValue): ") {
                return (severity, line.startIndex..<line.index(line.startIndex, offsetBy: severity.rawValue.count + 2))
            }
            return line.range(of: ": \(severity.rawValue): ").map { (severity, $0) }
        }
        guard let (severity, range) = places.min(by: { $0.1.lowerBound < $1.1.lowerBound }) else { return nil }
        let place = line[..<range.lowerBound]
        return (severity, place.isEmpty ? String(line[range.upperBound...]) : "\(place): \(line[range.upperBound...])")
    }

    private mutating func emit() {
        let text = lines.joined(separator: "\n")
        switch severity {
        case .error: Diagnostics.error(text)
        case .warning, .note: Diagnostics.warning(text)
        case nil: break
        }
        severity = nil
        lines = []
    }
}
