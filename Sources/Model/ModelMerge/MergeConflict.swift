/// One thing that two sides changed in two ways.
package struct MergeConflict: Sendable, Hashable, CustomStringConvertible {
    /// The element: `entity Post, attribute title`; empty for the model itself.
    package var place: String
    /// The part of it: an attribute of XML, or a child.
    package var subject: String
    /// The original; nil if it did not exist.
    package var base: String?
    /// This side's version; nil if it was removed.
    package var ours: String?
    /// The other side's version.
    package var theirs: String?

    package var description: String {
        let what = [place, subject].filter { !$0.isEmpty }.joined(separator: ": ")
        func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "not there" }
        return "\(what) was \(text(base)), is \(text(ours)) here and \(text(theirs)) on the other side"
    }

    /// The conflict as a comment of XML, which ends at two hyphens.
    var comment: String {
        let text = "merge conflict: \(description)".replacing("--", with: "- -").replacing("--", with: "- -")
        // A comment can have neither references nor characters that XML does not allow.
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.value {
            case 0..<0x20: " "
            case 0xFFFE, 0xFFFF: "\u{FFFD}"
            default: scalar
            }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return "<!-- \(String(view)) -->"
    }
}
