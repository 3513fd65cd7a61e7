/// The checks of a model's settings for changes in several stores that follow one log.
extension ModelChecker {
    /// The rule of an attribute must be one that its type allows.
    mutating func checkSync(of attribute: Attribute, _ title: String) {
        checkLargeValues(of: attribute, title)
        guard let entry = attribute.userInfo.entry(UserInfo.syncKey) else { return }
        if attribute.isDerived || attribute.isTransient {
            report(
                .noEffect, at: entry.location,
                "\(title) is not written by programs, so that '\(UserInfo.syncKey)' has no effect",
                fixes: [.removing(entry.location, "Remove the entry")])
            return
        }
        let allowed = Self.syncRules(for: attribute)
        if !allowed.contains(entry.value) { reportSync(entry, title, allowed) }
    }

    /// Only values that programs write as bytes can be left with the log.
    private mutating func checkLargeValues(of attribute: Attribute, _ title: String) {
        let key = UserInfo.syncLargeValuesKey
        guard let entry = attribute.userInfo.entry(key) else { return }
        if attribute.type != .binary || attribute.isDerived || attribute.isTransient {
            report(
                .noEffect, at: entry.location,
                "\(title) has no large values that programs write, so that '\(key)' has no effect",
                notes: ["It is for attributes of the type Binary Data"],
                fixes: [.removing(entry.location, "Remove the entry")])
        } else if !["atOnce", "whenRead"].contains(entry.value) {
            report(
                .invalidValue, at: entry.location, "\(title) has for '\(key)' the value '\(entry.value)'",
                notes: ["Write atOnce or whenRead"], fixes: [.removing(entry.location, "Remove the entry")],
                attribute: "value")
        }
    }

    /// The rule of a relationship. Only objects of one entity can be within each other.
    mutating func checkSync(of relationship: Relationship, in entity: Entity, _ title: String) {
        guard let entry = relationship.userInfo.entry(UserInfo.syncKey) else { return }
        if relationship.isToMany {
            report(
                .noEffect, at: entry.location,
                "\(title) leads to many objects, whose links are settled one by one: '\(UserInfo.syncKey)' has no effect",
                fixes: [.removing(entry.location, "Remove the entry")])
        } else {
            let allowed = relationship.destinationName == entity.name ? ["last", "first", "tree"] : ["last", "first"]
            if !allowed.contains(entry.value) { reportSync(entry, title, allowed) }
        }
    }

    /// Checks an entity's settings for objects that were deleted elsewhere.
    mutating func checkSync(of entity: Entity) {
        guard let entry = entity.userInfo.entry(UserInfo.syncKey), entry.value != "restore" else { return }
        reportSync(entry, "Entity '\(entity.name)'", ["restore"])
    }

    private static func syncRules(for attribute: Attribute) -> [String] {
        let isPlain = attribute.userInfo[UserInfo.swiftTypeKey] == nil
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float:
            return isPlain ? ["last", "first", "max", "min", "sum"] : ["last", "first", "max", "min"]
        case .date: return ["last", "first", "max", "min"]
        default: return ["last", "first"]
        }
    }

    private mutating func reportSync(_ entry: UserInfo.Entry, _ title: String, _ allowed: [String]) {
        report(
            .invalidValue, at: entry.location,
            "\(title) has for '\(UserInfo.syncKey)' the value '\(entry.value)', which is not a rule for it",
            notes: ["Write \(allowed.joined(separator: ", "))"],
            fixes: [.removing(entry.location, "Remove the entry")], attribute: "value")
    }
}

extension Attribute {
    /// Whether large values stay with the log that a store follows until they are first read.
    package var readsLoggedValues: Bool {
        type == .binary && !isDerived && !isTransient && userInfo[UserInfo.syncLargeValuesKey] == "whenRead"
    }
}
