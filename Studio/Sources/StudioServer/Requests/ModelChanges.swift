import DataModel
@_spi(Studio) import ModelAuthoring

extension ModelStudio {
    typealias FormHandler = @Sendable (ModelStudio, _ form: Parameters) throws -> FormAnswer

    /// The answers to the forms of the model's pages.
    static let answers: [(String, FormHandler)] = [
        ("model-save", { try $0.save($1) }),
        ("model-entries", { try $0.saveEntries($1) }),
        ("model-add", { try $0.add($1) }),
        ("model-fix", { try $0.fix($1) }),
        ("model-remove", { try $0.remove($1) }),
        ("model-move", { try $0.move($1) }),
        ("model-configuration", { try $0.saveConfiguration($1) }),
        ("model-version", { try $0.changeVersions($1) }),
        ("model-arrange", { studio, form in try studio.trying(form) { try studio.desk.arrange() } }),
        (
            "model-undo",
            { studio, form in try studio.trying(form) { studio.notice.show("Undone: \(try studio.desk.undo()).") } }
        ),
        (
            "model-redo",
            { studio, form in try studio.trying(form) { studio.notice.show("Redone: \(try studio.desk.redo()).") } }
        ),
        ("model-create", { studio, form in try studio.trying(form) { try studio.desk.create() } }),
    ]

    /// Makes the change of a form, and leads back to its page, with a message if it was refused.
    private func trying(
        _ form: Parameters, _ key: String = "", choosing place: ModelAddress? = nil, _ body: () throws -> Void
    ) throws -> FormAnswer {
        do {
            try body()
        } catch let error as ModelDeskError {
            if error.kind != .refused || !desk.exists { throw error }
            return .page(
                try page(ModelAddress(form), refused: RefusedForm(key: key, sent: form, error: error)), .conflict)
        }
        return .redirect((place ?? existing(ModelAddress(form))).address)
    }

    /// The page without a box that does not exist any more.
    private func existing(_ place: ModelAddress) -> ModelAddress {
        guard let box = place.box ?? place.near, let snapshot = try? desk.snapshot(),
            snapshot.entity(box) == nil, snapshot.composite(box) == nil
        else { return place }
        return ModelAddress()
    }

    private func save(_ form: Parameters) throws -> FormAnswer {
        guard let item = ModelView.item(form) else { throw PageError.parameters }
        var place = ModelAddress(form)
        do {
            let fields = form.values.compactMap { name, was -> EditedModelField? in
                guard name.hasPrefix("was.") else { return nil }
                let field = String(name.dropFirst(4))
                return EditedModelField(field, was: was, value: ObjectForm.text(form["field." + field]) ?? "")
            }
            let saved = try desk.save(item, fields)
            switch saved {
            case .entity(let name), .composite(let name): place = place.choosing(name)
            case .property(let name, let owner), .index(let name, let owner):
                place = place.choosing(owner, property: name)
            case .fetchRequest(let name): place.property = name
            case .constraint, .configuration, .model: break
            }
            if place.near != nil { place.near = place.box }
            return .redirect(place.address)
        } catch {
            if error.kind != .refused { throw error }
            let refused = RefusedForm(key: ModelView.key(item), sent: form, error: error)
            return .page(try page(place, refused: refused), .conflict)
        }
    }

    private func saveEntries(_ form: Parameters) throws -> FormAnswer {
        guard let item = ModelView.item(form) else { throw PageError.parameters }
        var entries: [String: String] = [:]
        for (name, value) in form.values where name.hasPrefix("entry.") { entries[String(name.dropFirst(6))] = value }
        if let key = form["new-key"], !key.isEmpty { entries[key] = form["new-value"] ?? "" }
        return try trying(form) { try desk.save(item, entries: entries) }
    }

    private func add(_ form: Parameters) throws -> FormAnswer {
        guard let kind = form["kind"] else { throw PageError.parameters }
        let place = ModelAddress(form)
        let name = form["name"] ?? ""
        let box = place.box ?? ""
        let edits = try additions(kind, name, of: box, form)
        let isBox = ["entity", "composite"].contains(kind)
        let shown = isBox ? name : "\(box).\(kind == "constraint" ? kind : name)"
        // One goes on with attributes; the form of another part is shown.
        let target =
            isBox || kind == "attribute"
            ? place.choosing(isBox ? name : box).with { $0.adding = "attribute" } : place.choosing(box, property: name)
        return try trying(form, "new:" + kind, choosing: target) {
            try desk.edit("Add \(shown)") { _ throws(ModelDeskError) in try edits.get() }
        }
    }

    /// The edits that add a part; an error if a field has a wrong value.
    private func additions(
        _ kind: String, _ name: String, of box: String, _ form: Parameters
    ) throws -> Result<[ModelEdit], ModelDeskError> {
        func elements() -> Result<[ModelEdit.IndexElement], ModelDeskError> {
            Result { () throws(ModelDeskError) in try IndexElements.parse(form["elements"] ?? "") }
        }
        let predicate = form["predicate"].flatMap { $0.isEmpty ? nil : $0 }
        switch kind {
        case "entity": return .success([.addEntity(name)])
        case "composite":
            return attribute(form["attribute"] ?? "", of: name, form).map { [.addComposite(name)] + $0 }
        case "attribute": return attribute(name, of: box, form)
        case "relationship": return .success([try relationship(name, of: box, form)])
        case "index":
            let kind = FetchIndex.Kind(rawValue: form["index-kind"] ?? "") ?? .binary
            return elements().map { elements in
                let name = name.isEmpty ? ModelEdit.IndexElement.indexName(of: elements) : name
                return [.addIndex(name, of: box, kind: kind, elements: elements)]
            }
        case "constraint": return elements().map { [.addConstraint($0.map(\.property), of: box)] }
        case "fetchRequest": return .success([.addFetchRequest(name, entity: box, predicate: predicate)])
        case "fetchedProperty":
            let destination = form["fetched"] ?? box
            return .success([.addFetchedProperty(name, of: box, destination: destination, predicate: predicate)])
        default: throw PageError.parameters
        }
    }

    private func attribute(
        _ name: String, of owner: String, _ form: Parameters
    ) -> Result<[ModelEdit], ModelDeskError> {
        let text = form["type"] ?? ""
        let type = AttributeType(rawValue: text) ?? .composite
        var values: [ModelEdit.Value] = []
        if type == .composite { values.append(ModelEdit.Value(name: "composite", value: text)) }
        if form["optional"] == "YES" { values.append(ModelEdit.Value(name: "optional", value: "YES")) }
        return Result { () throws(ModelDeskError) in
            if let value = form["default"], !value.isEmpty {
                values.append(try ModelDesk.defaultValue(value, of: type))
            }
            return [.addAttribute(name, of: owner, type: type, values: values)]
        }
    }

    private func relationship(_ name: String, of owner: String, _ form: Parameters) throws -> ModelEdit {
        guard let count = RelationshipCount(rawValue: form["count"] ?? ""), let destination = form["destination"],
            let rule = Relationship.DeletionRule(rawValue: form["rule"] ?? ""),
            let inverseRule = Relationship.DeletionRule(rawValue: form["inverse-rule"] ?? "")
        else { throw PageError.parameters }
        var side = ModelEdit.NewRelationship.Side(name, isToMany: count.isToMany)
        side.isOptional = form["required"] != "YES"
        side.isOrdered = form["ordered"] == "YES" && count.isToMany
        side.deletionRule = rule
        let inverseName = form["inverse"] ?? ""
        var inverse = ModelEdit.NewRelationship.Side(inverseName, isToMany: count.isInverseToMany)
        inverse.deletionRule = inverseRule
        return .addRelationship(
            ModelEdit.NewRelationship(side, of: owner, to: destination, inverse: inverseName.isEmpty ? nil : inverse))
    }

    private func fix(_ form: Parameters) throws -> FormAnswer {
        if form["all"] != nil {
            return try trying(form) {
                let (made, refused) = try desk.fixAll()
                notice.show(
                    "Made \(made) safe fix\(made == 1 ? "" : "es")."
                        + (refused == 0
                            ? "" : " Fixes of \(refused) more were not made, because they would make an error."))
            }
        }
        guard let choice = form["fix"].flatMap({ Parameters($0) }), let code = choice["code"],
            let message = choice["message"], let title = choice["title"]
        else { throw PageError.parameters }
        return try trying(form) {
            try desk.fix(ChosenFix(code: code, message: message, title: title))
            notice.show("Fixed: \(title).")
        }
    }

    private func remove(_ form: Parameters) throws -> FormAnswer {
        guard let item = ModelView.item(form) else { throw PageError.parameters }
        return try trying(form) {
            try desk.edit("Remove \(item.shortName)") { _ in [.remove(item)] }
            notice.show("Removed \(item.shortName).")
        }
    }

    private func move(_ form: Parameters) throws -> FormAnswer {
        var places: [String: (x: Int, y: Int)] = [:]
        if let box = form["box"], let x = Int(form["x"] ?? ""), let y = Int(form["y"] ?? "") { places[box] = (x, y) }
        for (name, value) in form.values where name.hasPrefix("place.") {
            let numbers = value.split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 2 else { throw PageError.parameters }
            places[String(name.dropFirst(6))] = (numbers[0], numbers[1])
        }
        if places.isEmpty { throw PageError.parameters }
        return try trying(form) { try desk.move(places) }
    }

    private func saveConfiguration(_ form: Parameters) throws -> FormAnswer {
        guard let name = form["name"] else { throw PageError.parameters }
        let entities = form.values.compactMap { name, _ in
            name.hasPrefix("member.") ? String(name.dropFirst(7)) : nil
        }
        return try trying(form) { try desk.save(configuration: name, entities: entities) }
    }

    private func changeVersions(_ form: Parameters) throws -> FormAnswer {
        let name = form["name"] ?? ""
        return try trying(form, choosing: ModelAddress()) {
            switch form["action"] {
            case "new":
                notice.show("'\(try desk.addVersion(named: name.isEmpty ? nil : name))' is the current version now.")
            case "current": try desk.setCurrent(name)
            case "lock":
                try desk.lock(name)
                notice.show("'\(name)' is locked. Commit the lock file.")
            default: throw PageError.parameters
            }
        }
    }
}
