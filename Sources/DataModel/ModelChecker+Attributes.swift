import Foundation

extension ModelChecker {
    /// An attribute by itself: its type, default and bounds, and what its type needs.
    mutating func check(_ attribute: Attribute, of entity: Entity) {
        let title = "Attribute '\(entity.name).\(attribute.name)'"
        checkValue(of: attribute, title)
    }

    /// What holds for attributes of entities and of composites alike.
    mutating func checkValue(of attribute: Attribute, _ title: String) {
        checkType(of: attribute, title)
        checkDefault(of: attribute, title)
        checkBounds(of: attribute, title)
    }

    private mutating func checkType(of attribute: Attribute, _ title: String) {
        switch attribute.type {
        case .undefined where !attribute.isTransient:
            report(
                .missingAttributeType, at: attribute.location, "\(title) has no type",
                notes: ["Add attributeType=\"…\"; only a transient attribute may be without"])
        case .transformable
        where attribute.valueTransformerName == nil && attribute.userInfo["ashlar.swiftType"] == nil
            && !attribute.isTransient:
            report(
                .missingTransformer, at: attribute.location, "\(title) is transformable, but names no transformer",
                notes: ["Add valueTransformerName=\"…\", such as NSSecureUnarchiveFromData"])
        case .composite: checkComposite(of: attribute, title)
        case .objectID:
            report(
                .notSupported, at: attribute.location,
                "\(title) is of type ObjectID, which this release does not build",
                notes: ["Use a relationship, or store the identifier's URI"])
        default: break
        }
    }

    private mutating func checkDefault(of attribute: Attribute, _ title: String) {
        if attribute.type == .uuid, let text = attribute.defaultValueString, UUID(uuidString: text) == nil {
            report(
                .invalidDefault, .warning, at: attribute.location,
                "\(title) has the default '\(text)', which is not a UUID, and so has none",
                notes: ["Remove defaultValueString, or write a UUID"])
            return
        }
        do throws(Attribute.InvalidDefault) {
            _ = try attribute.defaultValue()
        } catch {
            report(
                .invalidDefault, at: attribute.location,
                "\(title) of type \(attribute.type.rawValue) has the default '\(error.text)', which is not valid",
                notes: ["Write \(error.expected)"])
        }
    }

    /// The least value, or length, must be a number and not above the greatest, and the default between them.
    private mutating func checkBounds(of attribute: Attribute, _ title: String) {
        let isDate = attribute.type == .date
        let least = isDate ? attribute.minimumDateTimeInterval : attribute.minimumValue
        let greatest = isDate ? attribute.maximumDateTimeInterval : attribute.maximumValue
        var bounds: [Double?] = []
        for text in [least, greatest] {
            let number = text.flatMap { Double($0) }
            if let text, number == nil {
                report(
                    .invalidValue, at: attribute.location, "\(title) has the bound '\(text)', which is not a number",
                    notes: ["Write a number, or leave it out"])
            }
            bounds.append(number)
        }
        let minimum = bounds[0] ?? -.infinity
        let maximum = bounds[1] ?? .infinity
        if minimum > maximum {
            report(
                .invalidValue, at: attribute.location, "\(title) has a least value above its greatest",
                notes: ["Exchange the bounds"])
        } else if let value = defaultMagnitude(of: attribute), value < minimum || value > maximum {
            report(
                .invalidDefault, .warning, at: attribute.location, "\(title) has a default that its own bounds exclude",
                notes: ["New objects cannot be saved until it is set; change the default or the bounds"])
        }
    }

    /// The number that bounds are about: the default itself, or its length.
    private func defaultMagnitude(of attribute: Attribute) -> Double? {
        switch try? attribute.defaultValue() {
        case .integer(let number): Double(number)
        case .real(let number), .date(let number): number
        case .decimal(let text): Double(text)
        case .string(let text): Double(text.count)
        case .boolean, .uuid, .uri, nil: nil
        }
    }
}
