import Foundation
import GeneratorPipeline

/// The program that the build tool plugin runs, if the package is not asked for the prebuilt tool.
exit(GeneratorCommand.run(Array(CommandLine.arguments.dropFirst())))
