import Foundation

extension ModelChecker {
    /// The default must be a value of the type, and must follow the attribute's own rules.
    mutating func checkDefault(of attribute: Attribute, _ title: String) {
        let location = attribute.location
        let length = attribute.defaultValueString?.utf8.count ?? 0
        if length > ModelLimits.defaultLength {
            report(
                .exceedsLimit, at: location,
                "\(title) has a default of \(length) bytes; at most \(ModelLimits.defaultLength) are allowed",
                notes: ["Read the text from a resource of the program, and set it when an object is made"],
                fixes: [.removing("defaultValueString", of: location, "Remove the default")],
                attribute: "defaultValueString")
            return
        }
        if attribute.type == .uuid, let text = attribute.defaultValueString, UUID(uuidString: text) == nil {
            report(
                .invalidDefault, .warning, at: location,
                "\(title) has the default '\(text)', which is not a UUID, and so has none",
                fixes: [.removing("defaultValueString", of: location, isSafe: true, "Remove the default")],
                attribute: "defaultValueString")
            return
        }
        do throws(Attribute.InvalidDefault) {
            guard let value = try attribute.defaultValue() else { return }
            checkBounds(ofDefault: value, of: attribute, title)
        } catch {
            let name = attribute.defaultAttributeName
            report(
                .invalidDefault, at: location,
                "\(title) of type \(attribute.type.rawValue) has the default '\(error.text)', which is not valid",
                notes: ["Write \(error.expected)"],
                fixes: [
                    attribute.correctedDefault.map { .setting(name, to: $0, of: location) },
                    .removing(name, of: location, "Remove the default"),
                ], attribute: name)
        }
    }

    /// The least value, or length, must be a number and not above the greatest.
    mutating func checkBounds(of attribute: Attribute, _ title: String) {
        let names = attribute.boundNames
        var bounds: [Double] = [-.infinity, .infinity]
        for (index, text) in attribute.boundTexts.enumerated() {
            guard let text else { continue }
            let isLength = attribute.type == .string
            if let number = Double(text), number.isFinite, !isLength || number >= 0 && number == number.rounded() {
                bounds[index] = number
            } else {
                report(
                    .invalidValue, at: attribute.location,
                    "\(title) has the bound '\(text)', which is not a \(isLength ? "length" : "number")",
                    notes: ["Write a \(isLength ? "whole number from 0 upwards" : "number"), or leave it out"],
                    fixes: [.removing(names[index], of: attribute.location)], attribute: names[index])
            }
        }
        if bounds[0] > bounds[1], let least = attribute.boundTexts[0], let greatest = attribute.boundTexts[1] {
            report(
                .invalidValue, at: attribute.location, "\(title) has a least value above its greatest",
                notes: ["No value can be saved"],
                fixes: [
                    Diagnostic.Fix(
                        "Exchange the bounds",
                        [
                            Diagnostic.Change(attribute.location, .setAttribute(names[0], to: greatest)),
                            Diagnostic.Change(attribute.location, .setAttribute(names[1], to: least)),
                        ])
                ], attribute: names[0])
        }
    }

    /// A regular expression must be one to ICU, which Core Data and Foundation match with.
    mutating func checkRegularExpression(of attribute: Attribute, _ title: String) {
        guard attribute.type == .string, let pattern = attribute.regularExpression else { return }
        guard let expression = try? NSRegularExpression(pattern: pattern) else {
            report(
                .invalidRegularExpression, at: attribute.location,
                "\(title) has the regular expression '\(pattern)', which is not valid",
                notes: ["No value can be checked with it, so that none can be saved"],
                fixes: [.removing("regularExpressionString", of: attribute.location, "Remove the regular expression")],
                attribute: "regularExpressionString")
            return
        }
        guard let text = attribute.defaultValueString else { return }
        let whole = NSRange(text.startIndex..., in: text)
        // A match of a part may hide one of the whole text, as with `a|ab`.
        let anchored = (try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")) ?? expression
        if anchored.firstMatch(in: text, options: .anchored, range: whole)?.range == whole { return }
        report(
            .invalidDefault, .warning, at: attribute.location,
            "\(title) has the default '\(text)', which its regular expression '\(pattern)' does not match",
            notes: ["New objects cannot be saved until it is set; change the default or the expression"],
            fixes: [.removing("defaultValueString", of: attribute.location, "Remove the default")],
            attribute: "defaultValueString")
    }

    private mutating func checkBounds(ofDefault value: DefaultValue, of attribute: Attribute, _ title: String) {
        let numbers = attribute.boundTexts.map { $0.flatMap { Double($0) } }
        guard numbers[0] ?? -.infinity <= numbers[1] ?? .infinity, let magnitude = value.magnitude else { return }
        let isAbove = numbers[1].map { magnitude > $0 } ?? false
        guard isAbove || numbers[0].map({ magnitude < $0 }) ?? false else { return }
        let index = isAbove ? 1 : 0
        let name = attribute.defaultAttributeName
        // The text of a bound is the nearest default only if the bound applies to the value itself.
        let nearest = attribute.type == .string ? nil : attribute.boundTexts[index]
        report(
            .invalidDefault, .warning, at: attribute.location,
            "\(title) has a default that its own bounds exclude",
            notes: ["New objects cannot be saved until it is set; change the default or the bounds"],
            fixes: [
                nearest.map { .setting(name, to: $0, of: attribute.location, "Make the default \($0)") },
                .removing(attribute.boundNames[index], of: attribute.location),
            ], attribute: name)
    }
}

extension DefaultValue {
    /// The number that bounds are about: the value itself, or its length.
    fileprivate var magnitude: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number), .date(let number): number
        case .decimal(let text): Double(text)
        // Core Data counts the UTF-16 units of a string.
        case .string(let text): Double(text.utf16.count)
        case .boolean, .uuid, .uri, .binary: nil
        }
    }
}

extension Attribute {
    /// The XML attribute with the default.
    fileprivate var defaultAttributeName: String {
        type == .date && defaultDateTimeInterval != nil ? "defaultDateTimeInterval" : "defaultValueString"
    }

    /// The least and the greatest value as written.
    fileprivate var boundTexts: [String?] {
        switch type {
        case .date: [minimumDateTimeInterval ?? minimumValue, maximumDateTimeInterval ?? maximumValue]
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .string: [minimumValue, maximumValue]
        default: [nil, nil]
        }
    }

    fileprivate var boundNames: [String] {
        [
            type == .date && minimumDateTimeInterval != nil ? "minDateTimeInterval" : "minValueString",
            type == .date && maximumDateTimeInterval != nil ? "maxDateTimeInterval" : "maxValueString",
        ]
    }

    /// The default as it would be valid, when only its form is wrong: `1,5`, ` 7 `, `Y`.
    fileprivate var correctedDefault: String? {
        guard let text = defaultValueString else { return nil }
        var candidates = [text.trimmingCharacters(in: .whitespaces)]
        switch type {
        case .boolean: candidates = [BooleanSpelling.corrected(text)].compactMap(\.self)
        case .decimal, .double, .float: candidates.append(candidates[0].replacing(",", with: "."))
        default: break
        }
        return candidates.first { candidate in
            var corrected = self
            corrected.defaultValueString = candidate
            return candidate != text && (try? corrected.defaultValue()) != nil
        }
    }
}
