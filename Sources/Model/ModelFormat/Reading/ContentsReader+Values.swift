import DataModel

extension ContentsReader {
    /// The value of an attribute that must be there and not be empty; its absence is reported.
    mutating func required(_ name: String, of element: XMLElement, _ title: String) -> String? {
        if let value = text(name, of: element) { return value }
        diagnostics.report(
            .missingAttribute, at: element.attribute(name)?.location ?? element.location, "\(title) has no '\(name)'",
            notes: ["Add \(name)=\"…\" to the element <\(element.name)>"])
        return nil
    }

    /// The value of an attribute; nil if it is empty, because Xcode writes an empty one for none.
    func text(_ name: String, of element: XMLElement) -> String? {
        guard let value = element[name], !value.isEmpty else { return nil }
        return value
    }

    /// A boolean, which is false if it is absent. An invalid value is reported.
    mutating func flag(_ name: String, of element: XMLElement, _ title: String) -> Bool {
        guard let attribute = element.attribute(name) else { return false }
        switch attribute.value.lowercased() {
        case "yes", "true", "1": return true
        case "no", "false", "0", "": return false
        default:
            report(
                invalid: attribute, of: element, title, expected: "YES or NO",
                correct: BooleanSpelling.corrected(attribute.value))
            return false
        }
    }

    /// A number from 0 upwards. An invalid value is reported.
    mutating func count(_ name: String, of element: XMLElement, _ title: String) -> Int? {
        guard let attribute = element.attribute(name), !attribute.value.isEmpty else { return nil }
        guard let number = Int(attribute.value), number >= 0 else {
            report(invalid: attribute, of: element, title, expected: "a whole number from 0 upwards")
            return nil
        }
        return number
    }

    /// Reports a value that the format does not have. If a correct value is given, nothing else can be meant.
    mutating func report(
        invalid attribute: XMLElement.Attribute, of element: XMLElement, _ title: String, expected: String,
        correct: String? = nil
    ) {
        let fixes = correct.map {
            [Diagnostic.Fix.setting(attribute.name, to: $0, of: element.location, isSafe: true)]
        }
        diagnostics.report(
            .invalidValue, at: attribute.location,
            "\(title) has \(attribute.name)=\"\(attribute.value)\", which is not valid",
            notes: ["Write \(expected)"],
            fixes: fixes ?? [.removing(attribute.name, of: element.location)])
    }

    /// Returns the one of a few values that a text means. The text may differ in case, spaces and a few letters.
    func meant(by text: String, among values: [String]) -> String? {
        func folded(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
        return values.first { folded($0) == folded(text) } ?? Spelling.closest(to: text, among: values)
    }

    /// The renaming identifier, which Xcode calls `elementID` and some tools by its name in the API.
    func renamingIdentifier(of element: XMLElement) -> String? {
        text("elementID", of: element) ?? text("renamingIdentifier", of: element)
    }
}
