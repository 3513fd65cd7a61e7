import ArgumentParser
import ModelFormat

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Writes a first model to begin with.")

    @Argument(help: "The model's name, which is best the target's.")
    var name: String

    @Option(help: "The folder to write the bundle to.")
    var folder = "Models"

    func run() throws {
        print(try ModelBundleEditor.makeModel(named: name, inFolder: folder))
    }
}

struct NewVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a model's current version to a new one and makes that the current one, as Xcode's menu does.")

    @Argument(help: "The path of the .xcdatamodeld bundle.")
    var model: String

    func run() throws {
        print(try ModelBundleEditor.addVersion(toBundleAtPath: model))
    }
}
