import ArgumentParser
import DataModel
import GeneratorPipeline

/// The arguments of a command that describe how a model is built.
struct ConfigurationArguments: ParsableArguments {
    // `swift package` uses `--configuration` itself.
    @Option(
        name: [.customLong("ashlar-json"), .customLong("configuration")],
        help: ArgumentHelp(
            "The ashlar.json that counts, in place of those in the package that name the model.", valueName: "file"))
    var path: String?

    /// Returns the configuration of a model from the targets of the package, or from a given file, and from its bundle.
    /// Prints errors and exits with status 1.
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
