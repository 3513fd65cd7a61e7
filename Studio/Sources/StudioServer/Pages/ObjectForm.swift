@_spi(Studio) import StoreBrowsing

/// The state of a form for the properties of an object: the texts that were sent, and the messages about them.
///
/// A form has three fields for an attribute: `value.title`, `nil.title` if nil is allowed, and `was.title`, the text
/// that the form began with. A text that was not edited changes nothing. The value of a to-one relationship is the
/// number of the object. A to-many relationship has a field `member.tags.7` for each chosen object, and `had.tags.7`
/// for each object that was a member when the page was made.
struct ObjectForm {
    /// The fields that were sent; nil for a new form.
    var sent: Parameters?
    /// The message about the form as a whole.
    var message: String?
    /// The messages about single properties.
    var messages: [String: String] = [:]
    /// The relationship that was searched, and the objects that were found.
    var found: (property: String, objects: [BrowsedReference])?

    /// The text that was sent for an attribute; nil for nil.
    static func value(of attribute: BrowsedObject.Attribute, in form: Parameters) -> String? {
        if let other = form["other." + attribute.name], !other.isEmpty { return other }
        let text = Self.text(form["value." + attribute.name])
        if attribute.hasNilBox { return form["nil." + attribute.name] == nil ? text : nil }
        return text?.isEmpty == true ? nil : text
    }

    /// The text that a field had when its page was made; nil for nil.
    static func original(of property: String, in form: Parameters) -> String? { text(form["was." + property]) }

    /// A text of a form, which writes line breaks as two characters.
    static func text(_ text: String?) -> String? { text?.replacingOccurrences(of: "\r\n", with: "\n") }

    /// The numbers in the names of fields such as `member.tags.7`.
    static func numbers(_ kind: String, _ property: String, in form: Parameters) -> [Int64] {
        let prefix = "\(kind).\(property)."
        return form.values.compactMap { name, _ in
            name.utf8.starts(with: prefix.utf8) ? Int64(String(Substring(name.utf8.dropFirst(prefix.utf8.count)))) : nil
        }
    }

    /// The changes that a form makes to an object.
    ///
    /// - Parameter isForced: Whether a value is set even if it is as it was, for other objects.
    static func changes(
        _ form: Parameters, of object: BrowsedObject, isForced: Bool = false
    ) -> [StoreEditor.Change] {
        var changes: [StoreEditor.Change] = []
        for attribute in object.attributes where attribute.isEditable && form["value." + attribute.name] != nil {
            let value = value(of: attribute, in: form)
            if isForced || value != original(of: attribute.name, in: form) {
                changes.append(StoreEditor.Change(property: attribute.name, value: value))
            }
        }
        for relationship in object.relationships {
            let name = relationship.name
            if relationship.isToMany {
                let (members, former) = (numbers("member", name, in: form), numbers("had", name, in: form))
                changes += former.filter { !members.contains($0) }.map {
                    StoreEditor.Change(property: name, kind: .remove, value: "\($0)")
                }
                changes += members.filter { !former.contains($0) }.map {
                    StoreEditor.Change(property: name, kind: .add, value: "\($0)")
                }
                if let order = order(of: name, in: form) {
                    changes.append(StoreEditor.Change(property: name, kind: .place, value: order))
                }
            } else if let value = form["value." + name], isForced || value != form["was." + name] ?? "" {
                changes.append(StoreEditor.Change(property: name, value: value.isEmpty ? nil : value))
            }
        }
        return changes
    }
}

extension ObjectForm {
    /// The numbers of the members of an ordered relationship in the order of their fields; nil if no field was changed.
    ///
    /// A member that moves up is put before the member at its new place; one that moves down is put after it.
    private static func order(of property: String, in form: Parameters) -> String? {
        let members = numbers("had", property, in: form).compactMap {
            number -> (number: Int64, key: Double, isMoved: Bool)? in
            guard let was = form["had-place.\(property).\(number)"].flatMap({ Double($0) }) else { return nil }
            let place = form["place.\(property).\(number)"].flatMap { Double($0) } ?? was
            let shift = place == was ? 0 : place < was ? -0.5 : 0.5
            return (number, place + shift, place != was)
        }
        if !members.contains(where: \.isMoved) { return nil }
        return members.sorted { $0.key < $1.key }.map { "\($0.number)" }.joined(separator: ",")
    }
}

extension BrowsedObject.Attribute {
    /// Whether an empty text is a value, so that nil needs a box of its own.
    var hasNilBox: Bool { field.kind == .text && isOptional && !isChosen }

    /// Whether the value is chosen among the raw values that objects have.
    var isChosen: Bool { field.isEnumeration && !field.rawValues.isEmpty && !field.rawValues.contains("") }

    /// The text that the field begins with; nil for nil.
    var fieldText: String? {
        guard let editedText else { return nil }
        return field.kind == .date ? Self.dateText(editedText) ?? editedText : editedText
    }

    /// A date in the form of a date field, in UTC and to the millisecond; nil for dates that the field cannot show.
    static func dateText(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."))
        guard text.utf8.last == UInt8(ascii: "Z"), !text.hasPrefix("0000"), let whole = parts.first else { return nil }
        if parts.count == 1 { return String(text.dropLast()) }
        let digits = String(decoding: parts[1].dropLast().prefix(3), as: UTF8.self)
        return String(Substring(whole)) + "." + digits
    }
}
