import ArgumentParser
import DataModel

struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Renames an entity, a property or another part of a model, with everything that names it.",
        discussion: """
            Inverses, indexes, constraints, predicates, derivation expressions, fetch requests, configurations and children \
            get the new name. If the version before has the part, the renaming identifier keeps its old name, so that stores \
            keep their data. \(EditArguments.note)

            swift run ashlar rename Post.title headline
            """)

    @Argument(help: "ENTITY, ENTITY.PROPERTY, ENTITY.INDEX, a composite, a fetch request or a configuration.")
    var item: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { .rename(try $0.item(named: item), to: name) } }
}

struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Moves a property to another entity.",
        discussion: """
            Its inverse leads to the other entity then. Within a hierarchy, stores keep the values. If the version before has \
            the property in another hierarchy, 'ashlar.removed' names it, because a migration deletes the values. \
            \(EditArguments.note)

            swift run ashlar move Post.title Content
            """)

    @Argument(help: ArgumentHelp("The entity and the property.", valueName: "entity.property"))
    var property: PropertyPath

    @Argument(help: "The other entity.")
    var entity: String

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { _ in .move(property.name, of: property.owner, to: entity) } }
}
