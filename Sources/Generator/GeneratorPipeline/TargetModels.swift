import DataModel
import Foundation

/// The data models that a target builds: those that its `ashlar.json` names; without that entry
/// `Models/TARGET.xcdatamodeld` in the package; without that model those in the target's own folder.
struct TargetModels {
    var paths: [String]
    var configuration: GeneratorConfiguration

    /// Finds the models. A model that is missing and a target without models are errors, and nil is returned.
    static func find(_ request: TargetRequest, reportingTo diagnostics: inout Diagnostics) -> TargetModels? {
        var configuration = GeneratorConfiguration()
        let path = request.configurationPath
        if FileManager.default.fileExists(atPath: path) {
            guard let read = GeneratorConfiguration.read(atPath: path, reportingTo: &diagnostics) else { return nil }
            configuration = read
        }
        let paths = configuration.models.map { $0.map { "\(request.packageFolder)/\($0)" } } ?? defaultPaths(request)
        for path in paths where !FileManager.default.fileExists(atPath: path) {
            diagnostics.report(
                .modelNotFound, at: SourceLocation(file: request.configurationPath),
                "There is no data model at \(path)", notes: ["Paths under 'models' are relative to the package"])
        }
        if paths.isEmpty {
            let name = request.targetName
            diagnostics.report(
                .modelNotFound, at: SourceLocation(file: request.targetFolder),
                "The target \(name) has no data model",
                notes: [
                    "Make one at Models/\(name).xcdatamodeld with 'swift package ashlar init \(name)', or name it in the "
                        + "target's ashlar.json: {\"models\": [\"Models/Name.xcdatamodeld\"]}"
                ])
        }
        return diagnostics.hasErrors ? nil : TargetModels(paths: paths, configuration: configuration)
    }

    private static func defaultPaths(_ request: TargetRequest) -> [String] {
        let recommended = "\(request.packageFolder)/Models/\(request.targetName).xcdatamodeld"
        if FileManager.default.fileExists(atPath: recommended) { return [recommended] }
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: request.targetFolder), includingPropertiesForKeys: nil,
            options: [.skipsHiddenFiles])
        var found: [String] = []
        while let file = files?.nextObject() as? URL {
            guard ["xcdatamodeld", "xcdatamodel"].contains(file.pathExtension) else { continue }
            found.append(file.path)
            files?.skipDescendants()
        }
        return found.sorted()
    }
}
