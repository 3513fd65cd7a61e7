import Foundation
import Synchronization

/// Compiled regular expressions, each made once per process.
final class RegularExpressions: Sendable {
    static let shared = RegularExpressions()

    /// Programs that make patterns of their input would otherwise grow this without end.
    private static let maximumCount = 256

    private let compiled = Mutex<[String: NSRegularExpression?]>([:])

    /// Whether a whole text matches a pattern in ICU's syntax; false for a pattern that cannot be compiled.
    func matches(_ text: String, _ pattern: String) -> Bool {
        guard let expression = expression(pattern) else { return false }
        return expression.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }

    private func expression(_ pattern: String) -> NSRegularExpression? {
        compiled.withLock { compiled in
            if let known = compiled[pattern] { return known }
            // The group keeps the anchors from binding to one alternative only.
            let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
            if compiled.count >= Self.maximumCount { compiled.removeAll() }
            compiled[pattern] = .some(expression)
            return expression
        }
    }
}
