public import DataModel

/// A field as a form sends it: the value that the form showed, and the one that a person left.
@_spi(Studio) public struct EditedModelField: Sendable, Hashable {
    public var name: String
    public var was: String
    public var value: String

    public init(_ name: String, was: String, value: String) {
        (self.name, self.was, self.value) = (name, was, value)
    }
}

extension ModelDesk {
    /// Saves the fields of an item that a person changed, and returns the item with its new name.
    ///
    /// A field that another program changed too since the form was shown is refused, and the others with it.
    public func save(_ item: ModelItem, _ edited: [EditedModelField]) throws(ModelDeskError) -> ModelItem {
        let changed = edited.filter { $0.value != $0.was }
        var result = item
        do {
            try edit("Change \(item.shortName)") { snapshot throws(ModelDeskError) in
                guard let fields = snapshot.fields(of: item) else { throw .unknown(item) }
                var values: [String: String] = [:]
                var messages: [String: String] = [:]
                for change in changed {
                    guard let field = fields.first(where: { $0.name == change.name }), field.value != change.value
                    else {
                        continue
                    }
                    if field.value != change.was {
                        messages[field.name] =
                            "Another program changed the value to '\(field.value)'. Save again to replace it."
                    }
                    values[field.name] = change.value
                }
                if !messages.isEmpty {
                    throw ModelDeskError(.refused, "The file changed meanwhile.", fields: messages)
                }
                let edits = ItemEdits(item, values, in: snapshot)
                result = edits.item
                return try edits.all()
            }
        } catch {
            if error.kind == .refused, error.fields.isEmpty, changed.count == 1 {
                throw ModelDeskError(.refused, "Nothing was saved.", fields: [changed[0].name: error.description])
            }
            throw error
        }
        return result
    }

    /// The attribute of the XML format for the default of a new attribute.
    public static func defaultValue(
        _ text: String, of type: AttributeType
    ) throws(ModelDeskError) -> ModelEdit.Value {
        if type != .date { return ModelEdit.Value(name: "defaultValueString", value: text) }
        guard let interval = ModelDate.interval(text) else { throw .date(text, field: "default") }
        return ModelEdit.Value(name: "defaultDateTimeInterval", value: interval)
    }

    /// Sets, changes and removes entries of an item's `userInfo`.
    ///
    /// - Parameter entries: The values by their keys; an empty one removes the entry.
    public func save(_ item: ModelItem, entries: [String: String]) throws(ModelDeskError) {
        try edit("Change the userInfo of \(item.shortName)") { snapshot throws(ModelDeskError) in
            if snapshot.fields(of: item) == nil { throw .unknown(item) }
            let known = Dictionary(snapshot.entries(of: item).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            return entries.sorted { $0.key < $1.key }.compactMap { key, value in
                if key.isEmpty || known[key] ?? "" == value { return nil }
                return .setEntry(item, key: key, to: value.isEmpty ? nil : value)
            }
        }
    }

    /// Gives a configuration exactly these entities. A new one is added, and one without entities is removed.
    public func save(configuration name: String, entities: [String]) throws(ModelDeskError) {
        try edit("Change configuration \(name)") { snapshot throws(ModelDeskError) in
            let exists = snapshot.model.configurations.contains { $0.name == name }
            if !exists, entities.isEmpty { throw ModelDeskError(.refused, "A configuration needs an entity.") }
            if !exists { return [.addConfiguration(name, entities: entities)] }
            return [entities.isEmpty ? .remove(.configuration(name)) : .setMembers(entities, ofConfiguration: name)]
        }
    }
}

extension ModelDeskError {
    static func date(_ text: String, field: String) -> ModelDeskError {
        ModelDeskError(
            .refused, "Nothing was saved.", fields: [field: "'\(text)' is not a date. Write 2026-01-31T09:30:00Z."])
    }

    static func unknown(_ item: ModelItem) -> ModelDeskError {
        ModelDeskError(.missing, "The model has no \(item) any more.")
    }
}

extension ModelItem {
    /// The name as titles have it: `Post`, `Post.title`.
    public var shortName: String {
        switch self {
        case .entity(let name), .composite(let name), .fetchRequest(let name), .configuration(let name): name
        case .property(let name, let owner), .index(let name, let owner): "\(owner).\(name)"
        case .model: "the model"
        case .constraint(let names, let owner): "\(owner) (\(names.joined(separator: ", ")))"
        }
    }
}

/// The edits that give the fields of an item other values.
private struct ItemEdits {
    private let original: ModelItem
    private let values: [String: String]
    private let snapshot: ModelSnapshot

    init(_ item: ModelItem, _ values: [String: String], in snapshot: ModelSnapshot) {
        (original, self.values, self.snapshot) = (item, values, snapshot)
    }

    /// The item after the edits.
    var item: ModelItem {
        let name = values["name"]
        switch original {
        case .entity(let old): return .entity(name ?? old)
        case .composite(let old): return .composite(name ?? old)
        case .fetchRequest(let old): return .fetchRequest(name ?? old)
        case .property(let old, let owner): return .property(name ?? old, of: values["entity"] ?? owner)
        case .index(let old, let owner): return .index(name ?? old, of: owner)
        case .configuration(let old): return .configuration(name ?? old)
        case .constraint, .model: return original
        }
    }

    /// Other fields come first, then the place of the item, and its name last, so that each edit finds the item.
    func all() throws(ModelDeskError) -> [ModelEdit] {
        var edits: [ModelEdit] = []
        let first = ["attributeType", "destinationEntity", "toMany"]
        let last = ["inverse", "unique", "entity", "name"]
        let order = first + values.keys.filter { !first.contains($0) && !last.contains($0) }.sorted() + last
        var current = original
        for name in order {
            guard let value = values[name] else { continue }
            edits += try self.edits(name, value, current)
            if name == "entity", case .property(let own, _) = current { current = .property(own, of: value) }
        }
        return edits
    }

    private func edits(_ field: String, _ value: String, _ item: ModelItem) throws(ModelDeskError) -> [ModelEdit] {
        func set(_ attribute: String, _ value: String?) -> ModelEdit { .change(item, attribute: attribute, to: value) }
        let given = value.isEmpty ? nil : value
        switch (field, item) {
        case ("name", _): return [.rename(item, to: value)]
        case ("attributeType", _): return typeEdits(value, item)
        case ("default", _), ("minimum", _), ("maximum", _): return try boundEdits(field, value, item)
        case ("usesScalarValueType", _): return [set(field, value == "YES" ? "YES" : "NO")]
        case ("unique", .property(let name, let owner)):
            return value == "YES" ? [.addConstraint([name], of: owner)] : [.remove(.constraint([name], of: owner))]
        case ("entity", .property(let name, let owner)): return [.move(name, of: owner, to: value)]
        // The entity of a fetched property's request; that of the property is where it belongs.
        case ("destination", _): return [set("entity", value)]
        case ("destinationEntity", .property(let name, let owner)):
            let relationship = snapshot.entity(owner)?.relationships.first { $0.name == name }
            let isPaired = relationship?.inverseName != nil
            return (isPaired ? [.setInverse(name, of: owner, to: nil)] : []) + [set(field, value)]
        case ("inverse", .property(let name, let owner)):
            guard let given else { return [.setInverse(name, of: owner, to: nil)] }
            let parts = given.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return [] }
            return [.setInverse(name, of: owner, to: ModelEdit.RelationshipName(entity: parts[0], name: parts[1]))]
        case ("elements", .index(let name, let owner)):
            return [.setElements(try IndexElements.parse(value), ofIndex: name, of: owner)]
        default: return [set(field, given)]
        }
    }

    private func typeEdits(_ value: String, _ item: ModelItem) -> [ModelEdit] {
        let isComposite = AttributeType(rawValue: value) == nil
        return [
            .change(
                item,
                [
                    ModelEdit.Change("attributeType", to: isComposite ? AttributeType.composite.rawValue : value),
                    ModelEdit.Change("composite", to: isComposite ? value : nil),
                ])
        ]
    }

    /// Bounds and defaults of dates have attributes of their own.
    private func boundEdits(
        _ field: String, _ value: String, _ item: ModelItem
    ) throws(ModelDeskError) -> [ModelEdit] {
        let names = [
            "default": ("defaultValueString", "defaultDateTimeInterval"),
            "minimum": ("minValueString", "minDateTimeInterval"),
            "maximum": ("maxValueString", "maxDateTimeInterval"),
        ]
        guard let (text, date) = names[field] else { return [] }
        let fields = snapshot.fields(of: item) ?? []
        let type = values["attributeType"] ?? fields.first { $0.name == "attributeType" }?.value
        if value.isEmpty {
            return [.change(item, [ModelEdit.Change(text, to: nil), ModelEdit.Change(date, to: nil)])]
        }
        if type != AttributeType.date.rawValue { return [.change(item, attribute: text, to: value)] }
        guard let interval = ModelDate.interval(value) else {
            throw .date(value, field: field)
        }
        return [.change(item, attribute: date, to: interval)]
    }
}

/// The elements of an index as a text such as `likes:descending, lowercase:(title)`.
@_spi(Studio) public enum IndexElements {
    /// The hint of a field for them.
    public static let hint = "such as likes:descending, lowercase:(title)"

    /// Reads the text.
    public static func parse(_ text: String) throws(ModelDeskError) -> [ModelEdit.IndexElement] {
        var elements: [ModelEdit.IndexElement] = []
        for part in ModelEdit.IndexElement.texts(in: text) {
            guard let element = ModelEdit.IndexElement(parsing: part) else {
                throw ModelDeskError(
                    .refused, "'\(part)' is not a property with an order. Write likes:descending, lowercase:(title).")
            }
            elements.append(element)
        }
        return elements
    }
}
