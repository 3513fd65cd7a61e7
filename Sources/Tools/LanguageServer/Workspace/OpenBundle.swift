import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat

/// A model with at least one document open in the client. Findings are computed for a model as a whole.
final class OpenBundle {
    let path: String
    /// Whether a text changed since the findings were sent.
    var needsCheck = true
    /// Whether the findings that were sent lack the slow ones.
    var needsAdvice = true
    /// The findings by the file that they are shown in.
    var findings: [String: [Diagnostic]] = [:]
    /// The diagnostics that the client has, by the file, so that none are sent twice.
    var sent: [String: JSONValue] = [:]
    /// The names of the versions that were not yet read since files changed, the newest last; nil if none was read.
    var unreadVersions: ArraySlice<String>?
    /// The slow findings of the last pause.
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
        unreadVersions = nil
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

    /// The findings that `ashlar check` prints of the texts, without the slow ones.
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
