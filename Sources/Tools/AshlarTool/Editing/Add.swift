import ArgumentParser
import DataModel
import Foundation

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Adds an entity, a property or another part to the current version of a model.",
        discussion: """
            \(EditArguments.note)

            swift run ashlar add entity Post Author
            swift run ashlar add attribute Post.likes "Integer 64" --default 0
            swift run ashlar add relationship Author.posts Post.author --one-to-many --deletion-rule Cascade
            swift run ashlar add index Post likes:descending title
            swift run ashlar add fetch-request popular Post --predicate "likes > 100"
            """,
        subcommands: [
            AddEntity.self, AddAttribute.self, AddRelationship.self, AddIndex.self, AddConstraint.self,
            AddFetchRequest.self, AddFetchedProperty.self, AddComposite.self, AddConfiguration.self,
        ])
}

struct AddEntity: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "entity", abstract: "Adds entities.")

    @Argument(help: "The names.")
    var names: [String]

    @Option(help: "The entity that it inherits from.")
    var parent: String?

    @Flag(help: "No object is of this entity itself.")
    var abstract = false

    @OptionGroup var edit: EditArguments

    func run() throws {
        var values: [ModelEdit.Value] = []
        if let parent { values.append(ModelEdit.Value(name: "parentEntity", value: parent)) }
        if abstract { values.append(ModelEdit.Value(name: "isAbstract", value: "YES")) }
        try edit.applyAll { _ in names.map { .addEntity($0, values: values) } }
    }
}

struct AddAttribute: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attribute", abstract: "Adds an attribute to an entity or a composite.")

    @Argument(
        help: ArgumentHelp("The entity or the composite, and the attribute's name.", valueName: "entity.attribute"))
    var name: PropertyPath

    @Argument(help: "The type, such as String, Int32, \"Integer 32\" or Date, or the name of a composite.")
    var type: String

    @Flag(help: "The value may be missing.")
    var optional = false

    @Option(name: .customLong("default"), help: "The default; of a date, as 2026-01-31T09:30:00Z.")
    var defaultValue: String?

    @Option(help: "The expression that the store computes the value by, such as posts.@count.")
    var derived: String?

    @Option(
        help: ArgumentHelp(
            "Another attribute of the XML format, such as maxValueString=10. It can be repeated.",
            valueName: "name=value"))
    var set: [AttributeValue] = []

    @OptionGroup var edit: EditArguments

    func run() throws {
        try edit.apply { editor in
            let (type, composite) = try AttributeType.named(self.type, editor)
            var values: [ModelEdit.Value] = []
            func add(_ name: String, _ value: String?) {
                if let value { values.append(ModelEdit.Value(name: name, value: value)) }
            }
            add("composite", composite)
            add("optional", optional ? "YES" : nil)
            if let defaultValue {
                let value = try type.defaultValue(defaultValue)
                add(value.name, value.value)
            }
            if let derived {
                add("derived", "YES")
                add("derivationExpression", derived)
            }
            return .addAttribute(name.name, of: name.owner, type: type, values: values + set.map(\.value))
        }
    }
}

struct AddRelationship: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationship", abstract: "Adds a relationship and its inverse.",
        discussion: """
            Without a name for the inverse, it is called after the entity. An existing relationship without an inverse \
            becomes the inverse if it is named.
            """)

    /// The number of objects that each side leads to, this side's last.
    enum Count: String, EnumerableFlag {
        case oneToOne, oneToMany, manyToOne, manyToMany

        var isToMany: Bool { self == .oneToMany || self == .manyToMany }
        var isInverseToMany: Bool { self == .manyToOne || self == .manyToMany }
    }

    @Argument(help: ArgumentHelp("The entity and the relationship's name.", valueName: "entity.relationship"))
    var name: PropertyPath

    @Argument(help: ArgumentHelp("The destination, with the name of the inverse.", valueName: "destination[.inverse]"))
    var destination: String

    @Flag(help: "One-to-many means that an object leads to many, and each of them to one.")
    var count: Count

    @Option(help: "The effect on the destination of deleting an object: Nullify, Cascade, Deny or \"No Action\".")
    var deletionRule = Relationship.DeletionRule.nullify

    @Option(help: "The same of the inverse.")
    var inverseDeletionRule = Relationship.DeletionRule.nullify

    @Flag(help: "There must be an object.")
    var required = false

    @Flag(help: "The same of the inverse.")
    var inverseRequired = false

    @Flag(help: "The objects have an order.")
    var ordered = false

    @Flag(help: "Add no inverse.")
    var noInverse = false

    @OptionGroup var edit: EditArguments

    func validate() throws {
        if noInverse, destination.contains(".") || inverseRequired {
            throw ValidationError("--no-inverse goes with a destination without an inverse.")
        }
        if ordered, !count.isToMany { throw ValidationError("--ordered goes with --one-to-many and --many-to-many.") }
    }

    func run() throws {
        let parts = destination.split(separator: ".", maxSplits: 1).map(String.init)
        guard let entity = parts.first else { throw ValidationError("Name the destination.") }
        var side = ModelEdit.NewRelationship.Side(name.name, isToMany: count.isToMany)
        side.isOptional = !required
        side.isOrdered = ordered
        side.deletionRule = deletionRule
        let inverseName =
            parts.count > 1 ? parts[1] : ModelEditor.inverseName(of: name.owner, isToMany: count.isInverseToMany)
        var inverse = ModelEdit.NewRelationship.Side(inverseName, isToMany: count.isInverseToMany)
        inverse.isOptional = !inverseRequired
        inverse.deletionRule = inverseDeletionRule
        let relationship = ModelEdit.NewRelationship(
            side, of: name.owner, to: entity, inverse: noInverse ? nil : inverse)
        try edit.apply { _ in .addRelationship(relationship) }
    }
}

struct AddIndex: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "index", abstract: "Adds a fetch index to an entity.")

    /// The kinds of indexes.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case binary, rtree, fulltext
    }

    @Argument(help: "The entity.")
    var entity: String

    @Argument(help: ArgumentHelp("The properties, in order.", valueName: "property[:descending]"))
    var properties: [OrderedProperty]

    @Option(help: "The index's name; otherwise made of the properties: byTitle.")
    var name: String?

    @Option(help: "The kind of the index.")
    var kind = Kind.binary

    @OptionGroup var edit: EditArguments

    func run() throws {
        let elements = properties.map(\.element)
        let name = name ?? ModelEdit.IndexElement.indexName(of: elements)
        try edit.apply { _ in
            .addIndex(name, of: entity, kind: FetchIndex.Kind(rawValue: kind.rawValue) ?? .binary, elements: elements)
        }
    }
}

struct AddConstraint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "constraint", abstract: "Adds a uniqueness constraint to an entity.")

    @Argument(help: "The entity.")
    var entity: String

    @Argument(help: "The properties that are unique together.")
    var properties: [String]

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .addConstraint(properties, of: entity) } }
}

struct AddFetchRequest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch-request", abstract: "Adds a fetch request template.")

    @Argument(help: "The request's name.")
    var name: String

    @Argument(help: "The entity of the objects.")
    var entity: String

    @Option(help: "The condition, such as \"likes > $LIKES\"; all objects when left out.")
    var predicate: String?

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .addFetchRequest(name, entity: entity, predicate: predicate) } }
}

struct AddFetchedProperty: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetched-property", abstract: "Adds a fetched property.")

    @Argument(help: ArgumentHelp("The entity and the property's name.", valueName: "entity.property"))
    var name: PropertyPath

    @Argument(help: "The entity of the fetched objects.")
    var destination: String

    @Option(help: "The condition, such as \"author == $FETCH_SOURCE\"; all objects when left out.")
    var predicate: String?

    @OptionGroup var edit: EditArguments

    func run() throws {
        try edit.apply { _ in
            .addFetchedProperty(name.name, of: name.owner, destination: destination, predicate: predicate)
        }
    }
}

struct AddComposite: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "composite", abstract: "Adds a composite, to which 'add attribute' adds attributes.")

    @Argument(help: "The composite's name.")
    var name: String

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .addComposite(name) } }
}

struct AddConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration", abstract: "Adds a configuration: entities that are in one store.")

    @Argument(help: "The configuration's name.")
    var name: String

    @Argument(help: "The entities.")
    var entities: [String]

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .addConfiguration(name, entities: entities) } }
}
