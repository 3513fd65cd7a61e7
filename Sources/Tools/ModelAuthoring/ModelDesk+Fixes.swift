import DataModel
import GeneratorPipeline
import ModelFormat

/// A fix of a finding, as a form names it.
@_spi(Studio) public struct ChosenFix: Sendable, Hashable {
    /// The code and the message of the finding, and the title of the fix.
    public var code: String
    public var message: String
    public var title: String

    public init(code: String, message: String, title: String) {
        (self.code, self.message, self.title) = (code, message, title)
    }
}

extension ModelFinding {
    /// The choice of each fix, in the order of ``fixes``.
    public var choices: [ChosenFix] {
        fixes.map { ChosenFix(code: code.rawValue, message: message, title: $0.title) }
    }
}

extension ModelDesk {
    /// Makes a fix of a finding about the current version, as `ashlar check --fix --also` does.
    public func fix(_ chosen: ChosenFix) throws(ModelDeskError) {
        try change(chosen.title) { before throws(ModelDeskError) in
            let finding = before.findings.first { $0.choices.contains(chosen) }
            guard let finding, let index = finding.choices.firstIndex(of: chosen) else {
                throw ModelDeskError(.refused, "The model does not have this finding any more.")
            }
            do throws(ModelEditingError) {
                let file = try ModelFixer.changedFile(by: finding.fixes[index].changes)
                return [FileChange(path: file.path, before: file.before, after: file.after)]
            } catch {
                throw ModelDeskError(.refused, error.description)
            }
        }
    }

    /// Makes all fixes of the current version that need no decision, as `ashlar check --fix` does.
    ///
    /// - Returns: The number of fixes that were made, and of findings whose fixes would make an error.
    public func fixAll() throws(ModelDeskError) -> (made: Int, refused: Int) {
        var made = 0
        var refused = 0
        let configuration = try configuration()
        let reader = try reader()
        let name = name
        try change("Make all safe fixes") { before throws(ModelDeskError) in
            let files = ModelFixer.fixedFiles(
                ofModelAtPath: path, reader: reader,
                findings: {
                    MigrationFindings.find(
                        in: $0, leadingTo: $1, oldestVersionName: configuration.oldestVersion?[name])
                }
            ).filter { $0.path == before.model.location.file }
            made = files.reduce(0) { $0 + $1.applied.count }
            refused = files.reduce(0) { $0 + $1.refused.count }
            return files.filter { !$0.applied.isEmpty }
                .map { FileChange(path: $0.path, before: $0.before, after: $0.after) }
        }
        return (made, refused)
    }
}
