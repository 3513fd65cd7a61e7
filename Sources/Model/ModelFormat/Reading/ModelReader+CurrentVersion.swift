import DataModel
import Foundation

extension ModelReader {
    /// Returns the name of the version that the program is built for; if it cannot be determined, the newest, and the
    /// reason is reported.
    func currentVersion(
        among names: [String], inBundle path: String, reportingTo diagnostics: inout Diagnostics
    ) -> String {
        let newest = names.last ?? ""
        let file = path + "/.xccurrentversion"
        if let wanted = currentVersionName.map(ModelFiles.withoutExtension) {
            if names.contains(wanted) { return wanted }
            report(unknown: wanted, among: names, at: SourceLocation(file: path), to: &diagnostics)
            return newest
        }
        guard FileManager.default.fileExists(atPath: file) else {
            if names.count > 1 {
                diagnostics.report(
                    .missingCurrentVersion, at: SourceLocation(file: path),
                    "The bundle has \(names.count) versions, and no file '.xccurrentversion' names the current one",
                    notes: ["Choose the current version in Xcode's file inspector, or name it in the configuration"])
            }
            return newest
        }
        guard let bytes = ModelFiles.bytes(ofFile: file, reportingTo: &diagnostics),
            let root = XMLElement(parsing: bytes, file: file, reportingTo: &diagnostics)
        else { return newest }
        guard let value = propertyListValue("_XCCurrentVersionName", in: root) else {
            diagnostics.report(
                .missingCurrentVersion, at: root.location, "The file does not name the current version",
                notes: ["It must be a property list with the key '_XCCurrentVersionName'"])
            return newest
        }
        let wanted = ModelFiles.withoutExtension(value.text.trimmingCharacters(in: .whitespacesAndNewlines))
        if names.contains(wanted) { return wanted }
        report(unknown: wanted, among: names, at: value.location, to: &diagnostics)
        return newest
    }

    private func report(
        unknown name: String, among names: [String], at location: SourceLocation, to diagnostics: inout Diagnostics
    ) {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        diagnostics.report(
            .missingCurrentVersion, at: location, "The current version '\(name)' is not in the bundle",
            notes: ["The bundle holds \(list)"])
    }

    private func propertyListValue(_ key: String, in root: XMLElement) -> XMLElement? {
        guard root.name == "plist", let dictionary = root.children(named: "dict").first else { return nil }
        for (name, value) in zip(dictionary.children, dictionary.children.dropFirst())
        where name.name == "key" && name.text == key && value.name == "string" {
            return value
        }
        return nil
    }
}
