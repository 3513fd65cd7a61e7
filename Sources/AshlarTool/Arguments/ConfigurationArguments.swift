import ArgumentParser
import DataModel
import GeneratorPipeline

/// What a command knows of how a model is built, as the build knows it.
struct ConfigurationArguments: ParsableArguments {
    // `swift package` takes `--configuration` for its own.
    @Option(
        name: [.customLong("ashlar-json"), .customLong("configuration")],
        help: ArgumentHelp(
            "The ashlar.json that counts, in place of those in the package that name the model.", valueName: "file"))
    var path: String?

    /// What the targets of the package, or the file that was named, say of a model, with what its bundle says. What is
    /// wrong is printed, and the tool ends with status 1.
    func configuration(ofModelAtPath model: String) throws -> GeneratorConfiguration {
        var diagnostics = Diagnostics()
        let found =
            if let path {
                GeneratorConfiguration.read(atPath: path, reportingTo: &diagnostics)
            } else {
                ConfigurationFinder.configuration(ofModelAtPath: model, reportingTo: &diagnostics)
            }
        let configuration = found?.includingBundle(ofModelAtPath: model, reportingTo: &diagnostics)
        try printFindings(diagnostics)
        guard let configuration, !diagnostics.hasErrors else { throw ExitCode(1) }
        return configuration
    }
}
