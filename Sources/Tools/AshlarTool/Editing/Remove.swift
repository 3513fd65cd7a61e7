import ArgumentParser
import DataModel

struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Removes an entity, a property or another part of a model, with everything that needs it.",
        discussion: """
            A relationship is removed with its inverse, and a property from indexes and with its constraints. An entity \
            takes relationships that lead to it along. A part that a predicate, a derivation or a child needs stays. If \
            the version before has the part, 'ashlar.removed' names it, so that a migration deletes its data. \
            \(EditArguments.note)

            swift run ashlar remove Post.title
            swift run ashlar remove constraint Post title
            """,
        subcommands: [RemoveItem.self, RemoveConstraint.self], defaultSubcommand: RemoveItem.self)
}

struct RemoveItem: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "item", abstract: "Removes everything but constraints; 'item' need not be written.")

    @Argument(help: "ENTITY, ENTITY.PROPERTY, ENTITY.INDEX, a composite, a fetch request or a configuration.")
    var item: String

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { .remove(try $0.item(named: item)) } }
}

struct RemoveConstraint: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "constraint", abstract: "Removes a uniqueness constraint from an entity.")

    @Argument(help: "The entity.")
    var entity: String

    @Argument(help: "The properties that are unique together, in the constraint's order.")
    var properties: [String]

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .remove(.constraint(properties, of: entity)) } }
}
