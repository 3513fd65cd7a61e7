import ArgumentParser
import DataModel

struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes a part of the current version of a model.",
        discussion: """
            The options are those of 'add'; others stay. \(EditArguments.note)

            swift run ashlar change attribute Post.likes --type "Integer 32" --optional
            swift run ashlar change relationship Author.posts --deletion-rule Deny
            swift run ashlar change index Post.byTitle title likes:descending
            """,
        subcommands: [
            ChangeEntity.self, ChangeAttribute.self, ChangeRelationship.self, ChangeIndex.self, ChangeConstraint.self,
            ChangeFetchRequest.self, ChangeFetchedProperty.self, ChangeConfiguration.self, ChangeModel.self,
        ])
}

/// The options that every part has.
struct FormatValues: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Another attribute of the XML format, such as maxValueString=10. It can be repeated.",
            valueName: "name=value"))
    var set: [AttributeValue] = []

    @Option(help: ArgumentHelp("An attribute of the XML format to remove. It can be repeated.", valueName: "name"))
    var unset: [String] = []

    @Option(
        help: ArgumentHelp(
            "An entry of 'userInfo', such as ashlar.title=name; without a value, it is removed. It can be repeated.",
            valueName: "key=value"))
    var info: [AttributeValue] = []

    /// The edits that the options are, with other changes.
    func edits(of item: ModelItem, _ changes: [ModelEdit.Change] = []) -> [ModelEdit] {
        let all =
            changes + set.map { ModelEdit.Change($0.value.name, to: $0.value.value) }
            + unset.map { ModelEdit.Change($0, to: nil) }
        return (all.isEmpty ? [] : [.change(item, all)])
            + info.map { .setEntry(item, key: $0.value.name, to: $0.value.value.isEmpty ? nil : $0.value.value) }
    }
}

extension ModelEdit.Change {
    /// The value of a flag of the format, in which NO is omitted.
    init(_ attribute: String, to flag: Bool) { self.init(attribute, to: flag ? "YES" : nil) }
}

struct ChangeEntity: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "entity", abstract: "Changes an entity.")

    @Argument(help: "The entity's name.")
    var name: String

    @Option(help: "The entity that it inherits from.")
    var parent: String?

    @Flag(inversion: .prefixedNo, help: "Only the entities that inherit from it have objects.")
    var abstract: Bool?

    @OptionGroup var values: FormatValues

    @OptionGroup var edit: EditArguments

    func run() throws {
        var changes: [ModelEdit.Change] = []
        if let parent { changes.append(ModelEdit.Change("parentEntity", to: parent)) }
        if let abstract { changes.append(ModelEdit.Change("isAbstract", to: abstract)) }
        try edit.applyAll { _ in values.edits(of: .entity(name), changes) }
    }
}

struct ChangeAttribute: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attribute", abstract: "Changes an attribute of an entity or a composite.",
        discussion: """
            With another type, the attribute loses settings that only the former type has. To remove a default, write \
            --unset defaultValueString.
            """)

    @Argument(
        help: ArgumentHelp("The entity or the composite, and the attribute's name.", valueName: "entity.attribute"))
    var name: PropertyPath

    @Option(help: "The type, such as String, Int32, \"Integer 32\" or Date, or the name of a composite.")
    var type: String?

    @Flag(inversion: .prefixedNo, help: "The value may be missing.")
    var optional: Bool?

    @Option(name: .customLong("default"), help: "The default; of a date, as 2026-01-31T09:30:00Z.")
    var defaultValue: String?

    @Option(help: "The expression that the store computes the value by, such as posts.@count.")
    var derived: String?

    @OptionGroup var values: FormatValues

    @OptionGroup var edit: EditArguments

    func run() throws {
        try edit.applyAll { editor in
            let item = ModelItem.property(name.name, of: name.owner)
            var changes: [ModelEdit.Change] = []
            var type = try editor.type(ofAttribute: item)
            if let given = self.type {
                let (given, composite) = try AttributeType.named(given, editor)
                type = given
                changes.append(ModelEdit.Change("attributeType", to: given.rawValue))
                if let composite { changes.append(ModelEdit.Change("composite", to: composite)) }
            }
            if let optional { changes.append(ModelEdit.Change("optional", to: optional)) }
            if let defaultValue {
                let value = try type.defaultValue(defaultValue)
                changes.append(ModelEdit.Change(value.name, to: value.value))
            }
            if let derived { changes.append(ModelEdit.Change("derivationExpression", to: derived)) }
            return values.edits(of: item, changes)
        }
    }
}

struct ChangeRelationship: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationship", abstract: "Changes one side of a relationship.",
        discussion: "The inverse is changed by its own name.")

    /// The number of objects that an object leads to.
    enum Count: String, EnumerableFlag { case toOne, toMany }

    @Argument(help: ArgumentHelp("The entity and the relationship's name.", valueName: "entity.relationship"))
    var name: PropertyPath

    @Option(help: "The destination. A relationship with an inverse keeps its destination.")
    var destination: String?

    @Option(help: "The inverse, whose inverse this becomes. To make a missing one, use 'add relationship'.")
    var inverse: PropertyPath?

    @Flag(help: "Leave both sides without an inverse.")
    var noInverse = false

    @Flag(help: "The number of objects that an object leads to.")
    var count: Count?

    @Option(help: "The effect on the destination of deleting an object: Nullify, Cascade, Deny or \"No Action\".")
    var deletionRule: Relationship.DeletionRule?

    @Flag(inversion: .prefixedNo, help: "There must be an object.")
    var required: Bool?

    @Flag(inversion: .prefixedNo, help: "The objects have an order.")
    var ordered: Bool?

    @OptionGroup var values: FormatValues

    @OptionGroup var edit: EditArguments

    func run() throws {
        let item = ModelItem.property(name.name, of: name.owner)
        var changes: [ModelEdit.Change] = []
        if let destination { changes.append(ModelEdit.Change("destinationEntity", to: destination)) }
        if let count { changes.append(ModelEdit.Change("toMany", to: count == .toMany)) }
        if let deletionRule { changes.append(ModelEdit.Change("deletionRule", to: deletionRule.rawValue)) }
        if let required { changes.append(ModelEdit.Change("optional", to: !required)) }
        if let ordered { changes.append(ModelEdit.Change("ordered", to: ordered)) }
        var edits = values.edits(of: item, changes)
        // A destination changes without the former inverse, and before the new one.
        if noInverse { edits.insert(.setInverse(name.name, of: name.owner, to: nil), at: 0) }
        if let inverse {
            if destination != nil { edits.insert(.setInverse(name.name, of: name.owner, to: nil), at: 0) }
            let other = ModelEdit.RelationshipName(entity: inverse.owner, name: inverse.name)
            edits.append(.setInverse(name.name, of: name.owner, to: other))
        }
        try edit.applyAll { _ in edits }
    }
}

struct ChangeIndex: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Gives a fetch index other properties.")

    @Argument(help: ArgumentHelp("The entity and the index.", valueName: "entity.index"))
    var name: PropertyPath

    @Argument(help: ArgumentHelp("The properties, in order.", valueName: "property[:descending]"))
    var properties: [OrderedProperty] = []

    @OptionGroup var values: FormatValues

    @OptionGroup var edit: EditArguments

    func run() throws {
        let elements: ModelEdit = .setElements(properties.map(\.element), ofIndex: name.name, of: name.owner)
        let others = values.edits(of: .index(name.name, of: name.owner))
        try edit.applyAll { _ in (properties.isEmpty ? [] : [elements]) + others }
    }
}

struct ChangeConstraint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "constraint", abstract: "Gives a uniqueness constraint other properties.")

    @Argument(help: "The entity.")
    var entity: String

    @Argument(help: "The constraint's properties, in its order.")
    var properties: [String]

    @Option(parsing: .upToNextOption, help: "The properties that are unique together instead.")
    var to: [String]

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .setProperties(to, ofConstraint: properties, of: entity) } }
}

struct ChangeFetchRequest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch-request", abstract: "Changes a fetch request template.")

    @Argument(help: "The request's name.")
    var name: String

    @Option(help: "The entity of the objects.")
    var entity: String?

    @Option(help: "The condition; to fetch all objects, write --unset predicateString.")
    var predicate: String?

    @OptionGroup var values: FormatValues

    @OptionGroup var edit: EditArguments

    func run() throws {
        var changes: [ModelEdit.Change] = []
        if let entity { changes.append(ModelEdit.Change("entity", to: entity)) }
        if let predicate { changes.append(ModelEdit.Change("predicateString", to: predicate)) }
        try edit.applyAll { _ in values.edits(of: .fetchRequest(name), changes) }
    }
}

struct ChangeConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration", abstract: "Gives a configuration other entities.")

    @Argument(help: "The configuration's name.")
    var name: String

    @Argument(help: "The entities.")
    var entities: [String]

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .setMembers(entities, ofConfiguration: name) } }
}

struct ChangeFetchedProperty: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetched-property", abstract: "Changes a fetched property.")

    @Argument(help: ArgumentHelp("The entity and the property's name.", valueName: "entity.property"))
    var name: PropertyPath

    @Option(help: "The entity of the fetched objects.")
    var destination: String?

    @Option(help: "The condition; to fetch all objects, write --unset predicateString.")
    var predicate: String?

    @OptionGroup var values: FormatValues

    @OptionGroup var edit: EditArguments

    func run() throws {
        var changes: [ModelEdit.Change] = []
        if let destination { changes.append(ModelEdit.Change("entity", to: destination)) }
        if let predicate { changes.append(ModelEdit.Change("predicateString", to: predicate)) }
        try edit.applyAll { _ in values.edits(of: .property(name.name, of: name.owner), changes) }
    }
}

struct ChangeModel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Changes attributes and 'userInfo' of the model itself.")

    @OptionGroup var values: FormatValues

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.applyAll { _ in values.edits(of: .model) } }
}
