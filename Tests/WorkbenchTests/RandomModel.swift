import ModelMerge
import RandomNumbers

/// A random model as a tree. Its entities and properties have a number that stays when they are renamed. The format
/// lacks this attribute, but a merge must keep it all the same.
struct RandomModel {
    private(set) var tree: ModelTree
    private var lastNumber = 0

    init(_ random: inout SeededGenerator) {
        tree = ModelTree(
            "model", [.init("type", "com.apple.IDECoreDataModeler.DataModel"), .init("documentVersion", "1.0")])
        let count = random.number(2..<6)
        for index in 0..<count {
            var entity = ModelTree("entity", [.init("name", "Entity\(index)"), .init("stable", nextNumber())])
            for number in 0..<random.number(3..<7) {
                entity.children.append(
                    ModelTree(
                        "attribute",
                        [
                            .init("name", "value\(number)"), .init("stable", nextNumber()), .init("optional", "YES"),
                            .init("attributeType", "String"),
                        ]))
            }
            entity.children.append(
                ModelTree(
                    "relationship",
                    [
                        .init("name", "next"), .init("stable", nextNumber()), .init("optional", "YES"),
                        .init("maxCount", "1"), .init("deletionRule", "Nullify"),
                        .init("destinationEntity", "Entity\((index + 1) % count)"), .init("inverseName", "previous"),
                        .init("inverseEntity", "Entity\((index + 1) % count)"),
                    ]))
            entity.children.append(
                ModelTree(
                    "relationship",
                    [
                        .init("name", "previous"), .init("stable", nextNumber()), .init("optional", "YES"),
                        .init("maxCount", "1"), .init("deletionRule", "Nullify"),
                        .init("destinationEntity", "Entity\((index + count - 1) % count)"),
                        .init("inverseName", "next"),
                        .init("inverseEntity", "Entity\((index + count - 1) % count)"),
                    ]))
            entity.children.append(
                ModelTree(
                    "fetchIndex", [.init("name", "byValue"), .init("stable", nextNumber())],
                    children: [0, 1].map { Self.indexElement("value\($0)") }))
            entity.children.append(
                ModelTree(
                    "uniquenessConstraints",
                    children: [
                        ModelTree(
                            "uniquenessConstraint",
                            children: [ModelTree("constraint", [.init("value", "value0")])])
                    ]))
            entity.children.append(
                ModelTree(
                    "userInfo", [.init("stable", nextNumber())],
                    children: [ModelTree("entry", [.init("key", "note"), .init("value", "first")])]))
            if random.oneIn(2) { entity.children.append(ModelTree("futureElement", [.init("odd", "<&\">\n'é")])) }
            tree.children.append(entity)
        }
        tree.children.append(
            ModelTree(
                "fetchRequest", [.init("name", "All"), .init("entity", "Entity0"), .init("stable", nextNumber())]))
        tree.children.append(
            ModelTree(
                "configuration", [.init("name", "Local"), .init("stable", nextNumber())],
                children: [ModelTree("memberEntity", [.init("name", "Entity0")])]))
        tree.children.append(
            ModelTree(
                "elements",
                children: (0..<count).map {
                    ModelTree("element", [.init("name", "Entity\($0)"), .init("positionX", "0")])
                }))
    }

    private mutating func nextNumber() -> String {
        lastNumber += 1
        return "\(lastNumber)"
    }

    static func indexElement(_ property: String) -> ModelTree {
        ModelTree(
            "fetchIndexElement", [.init("property", property), .init("type", "Binary"), .init("order", "ascending")])
    }
}

/// A change of a model, which finds its target by its number, whatever its present name.
struct RandomEdit {
    /// The target of the change; two changes of one target begin with the same text.
    var slot: String
    var apply: (inout ModelTree) -> Void

    /// A random change of a base model; nil if the chosen part cannot be changed so. The number makes names that no
    /// other edit gives.
    static func random(of base: ModelTree, number: Int, _ random: inout SeededGenerator) -> RandomEdit? {
        let entities = base.children.filter { $0.name == "entity" }
        guard let entity = entities.randomElement(using: &random), let stable = entity["stable"] else { return nil }
        let attributes = entity.children.filter { $0.name == "attribute" }
        guard let attribute = attributes.randomElement(using: &random), let own = attribute["stable"] else {
            return nil
        }
        let position = attributes.firstIndex(of: attribute) ?? 0
        switch random.number(0..<14) {
        case 0:
            let name = ["optional", "defaultValueString", "unheardOf"].randomElement(using: &random) ?? "optional"
            return RandomEdit(slot: "\(own).\(name)") { $0.with(own) { $0[name] = "changed \(number)" } }
        case 1 where position > 1:
            return RandomEdit(slot: own) { $0.remove(own) }
        case 2:
            return RandomEdit(slot: "new \(number)") {
                $0.with(stable) {
                    $0.children.insert(
                        ModelTree(
                            "attribute",
                            [
                                .init("name", "added\(number)"), .init("stable", "added\(number)"),
                                .init("attributeType", "Date"),
                            ]), at: 0)
                }
            }
        case 3:
            return RandomEdit(slot: "\(stable).name") { model in
                model.rename(entity: stable, to: "Renamed\(number)")
            }
        case 4:
            return RandomEdit(slot: "\(own).name") { model in
                model.rename(attribute: own, of: stable, to: "renamed\(number)")
            }
        case 5:
            return RandomEdit(slot: "new \(number)") {
                $0.children.insert(
                    ModelTree("entity", [.init("name", "Added\(number)"), .init("stable", "added\(number)")]), at: 0)
            }
        case 6:
            return RandomEdit(slot: "\(stable).userInfo.note") {
                $0.with(stable) { $0.changeEntry("note", to: "changed \(number)") }
            }
        case 7:
            return RandomEdit(slot: "new \(number)") {
                $0.with(stable) { $0.changeEntry("key \(number)", to: "--> \u{1F9F1}") }
            }
        case 8:
            let order = random.oneIn(2) ? "descending" : "ascending"
            return RandomEdit(slot: "\(stable).index") { model in
                let names = attributes.prefix(2).compactMap { model.name(ofAttribute: $0["stable"] ?? "", of: stable) }
                model.with(stable) { entity in
                    guard let index = entity.children.firstIndex(where: { $0.name == "fetchIndex" }) else { return }
                    var last = RandomModel.indexElement(names[0])
                    last["order"] = order
                    entity.children[index].children = [RandomModel.indexElement(names[1]), last]
                }
            }
        case 9:
            return RandomEdit(slot: "new \(number)") { model in
                guard let name = model.name(ofEntity: stable) else { return }
                model.children.append(
                    ModelTree(
                        "entity", [.init("name", "Leading\(number)"), .init("stable", "leading\(number)")],
                        children: [
                            ModelTree(
                                "relationship",
                                [
                                    .init("name", "to"), .init("stable", "to\(number)"),
                                    .init("destinationEntity", name),
                                ])
                        ]))
            }
        case 10:
            return RandomEdit(slot: "new \(number)") { model in
                guard let name = model.name(ofAttribute: attributes[1]["stable"] ?? "", of: stable) else { return }
                model.with(stable) { entity in
                    guard let index = entity.children.firstIndex(where: { $0.name == "uniquenessConstraints" }) else {
                        return
                    }
                    entity.children[index].children.append(
                        ModelTree(
                            "uniquenessConstraint",
                            children: [
                                ModelTree("constraint", [.init("value", name)]),
                                ModelTree("constraint", [.init("value", "unique\(number)")]),
                            ]))
                }
            }
        case 11:
            return RandomEdit(slot: "new \(number)") {
                $0.children.append(
                    ModelTree("composite", [.init("name", "Part\(number)"), .init("stable", "p\(number)")]))
            }
        case 12:
            return RandomEdit(slot: "root.\(number)") { $0["unheardOf\(number)"] = "\(number)" }
        case 13:
            return RandomEdit(slot: "\(own).name") { model in
                model.rename(attribute: own, of: stable, to: "renamed\(number)")
            }
        default: return nil
        }
    }

    /// Whether two changes are about one thing.
    func touches(_ other: RandomEdit) -> Bool {
        slot == other.slot || slot.hasPrefix(other.slot + ".") || other.slot.hasPrefix(slot + ".")
    }
}

extension ModelTree {
    /// The elements in a canonical order, for comparisons.
    var sorted: ModelTree {
        var result = meaning
        func sort(_ tree: inout ModelTree) {
            for index in tree.children.indices { sort(&tree.children[index]) }
            if tree.name == "fetchIndex" || tree.name == "uniquenessConstraint" { return }
            tree.children.sort { "\($0)" < "\($1)" }
        }
        sort(&result)
        return result
    }

    mutating func with(_ stable: String, _ body: (inout ModelTree) -> Void) {
        if self["stable"] == stable { return body(&self) }
        for index in children.indices { children[index].with(stable, body) }
    }

    mutating func remove(_ stable: String) {
        children.removeAll { $0["stable"] == stable }
        for index in children.indices { children[index].remove(stable) }
    }

    func name(ofEntity stable: String) -> String? { children.first { $0["stable"] == stable }?["name"] }

    func name(ofAttribute stable: String, of entity: String) -> String? {
        children.first { $0["stable"] == entity }?.children.first { $0["stable"] == stable }?["name"]
    }

    mutating func changeEntry(_ key: String, to value: String) {
        guard let index = children.firstIndex(where: { $0.name == "userInfo" }) else { return }
        children[index].children.removeAll { $0["key"] == key }
        children[index].children.append(ModelTree("entry", [.init("key", key), .init("value", value)]))
    }

    /// Renames an entity as a person does in Xcode, with all references to it.
    mutating func rename(entity stable: String, to new: String) {
        guard let old = name(ofEntity: stable) else { return }
        with(stable) { $0["elementID"] = old }
        func rename(_ tree: inout ModelTree) {
            for name in ["destinationEntity", "inverseEntity", "parentEntity", "entity"] where tree[name] == old {
                tree[name] = new
            }
            if ["entity", "memberEntity", "element"].contains(tree.name), tree["name"] == old { tree["name"] = new }
            for index in tree.children.indices { rename(&tree.children[index]) }
        }
        rename(&self)
    }

    mutating func rename(attribute stable: String, of entity: String, to new: String) {
        guard let old = name(ofAttribute: stable, of: entity) else { return }
        with(stable) {
            $0["name"] = new
            $0["elementID"] = old
        }
        with(entity) { entity in
            func rename(_ tree: inout ModelTree) {
                if tree.name == "fetchIndexElement", tree["property"] == old { tree["property"] = new }
                if tree.name == "constraint", tree["value"] == old { tree["value"] = new }
                for index in tree.children.indices { rename(&tree.children[index]) }
            }
            rename(&entity)
        }
    }
}
