import DataModel

extension VersionText {
    /// Reads the current version of the model at a path, with the files of all bundles that are merged with it.
    ///
    /// - Parameters:
    ///   - reader: Determines the order of the versions and the current one if the bundle does not.
    ///   - others: Other bundles. If one of them merges this one, its files belong to the model too.
    /// - Throws: ``ModelEditingError/noCurrentVersion(_:)`` if there is none, and
    ///   ``ModelEditError/unreadable(file:reason:)`` if it is not a model.
    public static func current(
        ofModelAtPath path: String, reader: ModelReader = ModelReader(), mergedInto others: [String] = []
    ) throws -> VersionText {
        let path = ModelFiles.normalized(path)
        guard let bundle = reader.read(atPath: path).model else { throw ModelEditingError.noCurrentVersion(path) }
        return try version(bundle.currentVersionName, of: bundle, atPath: path, reader.texts, mergedInto: others)
    }

    /// Reads a version of a bundle.
    package static func version(
        _ name: String, of bundle: ModelBundle, atPath path: String, _ texts: ModelTexts, mergedInto others: [String]
    ) throws -> VersionText {
        guard let position = bundle.versions.firstIndex(where: { $0.name == name }) else {
            throw ModelEditingError.noCurrentVersion(path)
        }
        let merged = MergedFiles(ofVersion: name, among: bundle.versionNames, inBundle: path, others: others)
        var previous = position > 0 ? bundle.versions[position - 1] : nil
        if let outer = merged.outer {
            var reader = ModelReader()
            reader.texts = texts
            let versions = reader.read(atPath: outer.bundle).model?.versions ?? []
            let index = versions.firstIndex { $0.name == outer.version } ?? 0
            if index > 0 { previous = versions[index - 1] }
        }
        let own = MergedFiles.File(path: bundle.versions[position].location.file, bundleName: bundle.name)
        let files = try ([own] + merged.files).map { file in
            var diagnostics = Diagnostics()
            guard let bytes = texts.bytes(ofFile: file.path, reportingTo: &diagnostics) else {
                let reason = diagnostics.all.first?.message ?? "it cannot be read"
                throw ModelEditError.unreadable(file: file.path, reason: reason)
            }
            return try File(file.path, bytes, of: file.bundleName)
        }
        var version = try VersionText(files, previous: previous)
        version.model.name = name
        return version
    }
}
