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

    @Argument(help: "ENTITY, ENTITY.PROPERTY, ENTITY.INDEX, a composite or a fetch request.")
    var item: String

    @Argument(help: "The new name.")
    var name: String

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { .rename(try $0.item(named: item), to: name) } }
}

struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Removes an entity, a property or another part of a model, with everything that needs it.",
        discussion: """
            A relationship is removed with its inverse, and a property from indexes and with its constraints. An entity \
            takes relationships that lead to it along. What a predicate, a derivation or a child needs is not removed. If \
            the version before has the part, 'ashlar.removed' names it, so that a migration deletes its data. \
            \(EditArguments.note)

            swift run ashlar remove Post.title
            """)

    @Argument(help: "ENTITY, ENTITY.PROPERTY, ENTITY.INDEX, a composite or a fetch request.")
    var item: String

    @OptionGroup var edit: EditArguments

    func run() throws { try edit.apply { .remove(try $0.item(named: item)) } }
}
