import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat

/// A model of which the client has a document open: the unit of all findings.
final class OpenBundle {
    let path: String
    /// Whether a text changed since the findings were sent.
    var needsCheck = true
    /// Whether what takes longer was left out of the findings that were sent.
    var needsAdvice = true
    /// The findings by the file that they are shown in.
    var findings: [String: [Diagnostic]] = [:]
    /// What the client was sent, by the file, so that nothing is sent twice.
    var sent: [String: JSONValue] = [:]
    /// What takes longer, of the last time that it was looked for.
    var advice = FoundAdvice()
    private(set) var plan: ModelPlan?
    private let memory = PlanMemory()
    private var configuration: GeneratorConfiguration?
    private var configurationFindings = Diagnostics()
    private var isConfigured = false

    init(path: String) { self.path = path }

    /// Reads the configurations again before the next check.
    func forgetConfiguration() {
        isConfigured = false
        needsCheck = true
        needsAdvice = true
    }

    /// The configuration of the model; nil when it has errors.
    var options: GeneratorConfiguration? {
        if !isConfigured {
            isConfigured = true
            configurationFindings = Diagnostics()
            let found = ConfigurationFinder.configuration(ofModelAtPath: path, reportingTo: &configurationFindings)
            configuration = found?.includingBundle(ofModelAtPath: path, reportingTo: &configurationFindings)
            if configurationFindings.hasErrors { configuration = nil }
        }
        return configuration
    }

    /// The findings that `ashlar check` prints of the texts, other than what takes longer.
    func check(_ texts: ModelTexts) -> Diagnostics {
        guard let options else {
            plan = nil
            return configurationFindings
        }
        let (plan, found) = ModelPlan.make(modelPath: path, configuration: options, texts: texts, memory: memory)
        self.plan = plan
        var diagnostics = configurationFindings
        diagnostics.report(contentsOf: found)
        return diagnostics
    }
}
