import ArgumentParser
import DataModel
import Foundation

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Adds an entity, a property, an index or a constraint to the current version of a model.",
        discussion: """
            \(EditArguments.note)

            swift run ashlar add entity Post
            swift run ashlar add attribute Post.likes "Integer 64" --default 0
            swift run ashlar add relationship Author.posts Post.author --one-to-many --deletion-rule Cascade
            swift run ashlar add index Post likes:descending title
            """,
        subcommands: [
            AddEntity.self, AddAttribute.self, AddRelationship.self, AddIndex.self, AddConstraint.self,
        ])
}

struct AddEntity: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "entity", abstract: "Adds an entity.")

    @Argument(help: "The entity's name.")
    var name: String

    @Option(help: "The entity that it inherits from.")
    var parent: String?

    @Flag(help: "No object is of this entity itself.")
    var abstract = false

    @OptionGroup var edit: EditArguments

    func run() throws {
        var values: [ModelEdit.Value] = []
        if let parent { values.append(ModelEdit.Value(name: "parentEntity", value: parent)) }
        if abstract { values.append(ModelEdit.Value(name: "isAbstract", value: "YES")) }
        try edit.apply { _ in .addEntity(name, values: values) }
    }
}

struct AddAttribute: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attribute", abstract: "Adds an attribute to an entity or a composite.")

    @Argument(help: "The entity or the composite, and the attribute's name.")
    var name: PropertyPath

    @Argument(help: "The type, such as String, \"Integer 64\" or Date, or the name of a composite.")
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
            let (type, composite) = try Self.type(self.type, editor)
            var values: [ModelEdit.Value] = []
            func add(_ name: String, _ value: String?) {
                if let value { values.append(ModelEdit.Value(name: name, value: value)) }
            }
            add("composite", composite)
            add("optional", optional ? "YES" : nil)
            if type == .date, let defaultValue {
                add("defaultDateTimeInterval", try Self.interval(defaultValue))
            } else {
                add("defaultValueString", defaultValue)
            }
            if let derived {
                add("derived", "YES")
                add("derivationExpression", derived)
            }
            return .addAttribute(name.name, of: name.owner, type: type, values: values + set.map(\.value))
        }
    }

    /// The type with a name, in whatever case and with or without its space; or the composite.
    private static func type(_ name: String, _ editor: ModelEditor) throws -> (AttributeType, composite: String?) {
        func folded(_ text: String) -> String { text.lowercased().filter { $0 != " " } }
        let types = AttributeType.allCases.filter { ![.undefined, .objectID, .composite].contains($0) }
        if let type = types.first(where: { folded($0.rawValue) == folded(name) }) { return (type, nil) }
        if case .composite(let composite)? = try? editor.item(named: name) { return (.composite, composite) }
        let names = types.map(\.rawValue)
        let similar = Spelling.closest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        throw ValidationError("There is no type '\(name)'.\(similar) The types are \(names.joined(separator: ", ")).")
    }

    /// The seconds since 2001 of a date.
    private static func interval(_ text: String) throws -> String {
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("'\(text)' is not a date. Write 2026-01-31T09:30:00Z.")
        }
        return String(Int(date.timeIntervalSinceReferenceDate))
    }
}

struct AddRelationship: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relationship", abstract: "Adds a relationship and its inverse.",
        discussion: """
            Without a name for the inverse, it is called after the entity. An existing relationship without an inverse \
            becomes the inverse if it is named.
            """)

    /// How many objects each side leads to, this side's last.
    enum Count: String, EnumerableFlag {
        case oneToOne, oneToMany, manyToOne, manyToMany

        var isToMany: Bool { self == .oneToMany || self == .manyToMany }
        var isInverseToMany: Bool { self == .manyToOne || self == .manyToMany }
    }

    @Argument(help: "The entity and the relationship's name.")
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
    var properties: [String]

    @Option(help: "The index's name; otherwise made of the properties: byTitle.")
    var name: String?

    @Option(help: "The kind of the index.")
    var kind = Kind.binary

    @OptionGroup var edit: EditArguments

    func run() throws {
        let elements = try properties.map { text in
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            guard let property = parts.first, parts.count == 1 || ["ascending", "descending"].contains(parts[1]) else {
                throw ValidationError(
                    "'\(text)' is not a property with an order. Write \(parts.first ?? "title"):descending.")
            }
            return ModelEdit.IndexElement(property, isAscending: parts.last != "descending" || parts.count == 1)
        }
        let words = elements.flatMap { $0.property.split(separator: ".") }.map {
            $0.prefix(1).uppercased() + $0.dropFirst()
        }
        let name = name ?? "by" + words.joined()
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

/// An entity or a composite, and the name of a property of it.
struct PropertyPath: ExpressibleByArgument {
    var owner: String
    var name: String

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        (owner, name) = (parts[0], parts[1])
    }
}

/// An attribute of the XML format with its value.
struct AttributeValue: ExpressibleByArgument {
    var value: ModelEdit.Value

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        value = ModelEdit.Value(name: parts[0], value: parts[1])
    }
}

extension Relationship.DeletionRule: ExpressibleByArgument {
    /// Reads a rule in whatever case, also with a hyphen for the space.
    public init?(argument: String) {
        let wanted = argument.lowercased().replacing("-", with: " ")
        guard let rule = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else { return nil }
        self = rule
    }
}
