import DataModel
import ModelFormat

/// The weight of findings about versions other than the current one.
struct PastVersions {
    let bundle: ModelBundle
    /// The oldest version whose stores are still migrated; nil for the first.
    let oldestVersionName: String?
    /// The texts of the model's files, as they were read.
    let texts: ModelTexts

    /// The version that a finding is about; nil when it is about something else.
    private func version(of finding: Diagnostic) -> String? {
        let folder = bundle.location.file + "/"
        guard finding.location.file.hasPrefix(folder) else { return nil }
        let name = finding.location.file.dropFirst(folder.count).prefix { $0 != "/" }
        let ending = ".xcdatamodel"
        return name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : nil
    }

    /// The findings without those about versions from which nothing is built, and without advice on released versions.
    /// Released versions are not edited any more, and advice on them would hide advice on the current one.
    func relevant(_ diagnostics: Diagnostics) -> Diagnostics {
        var result = Diagnostics()
        var resolver = FindingResolver(texts)
        for finding in diagnostics.all {
            guard let name = version(of: finding), name != bundle.currentVersionName else {
                result.report(finding)
                continue
            }
            // Templates and fetched properties of the past are never compiled.
            if finding.severity == .error, !isLeftOut(name),
                !resolver.isFinding(finding, inElementNamed: ["fetchRequest", "fetchedProperty"])
            {
                result.report(finding)
            }
        }
        return result
    }

    /// Returns whether nothing is built from a version, because it is newer than the current one or was left behind.
    private func isLeftOut(_ name: String) -> Bool {
        guard let own = position(of: name), let current = position(of: bundle.currentVersionName) else { return false }
        let oldest = oldestVersionName.flatMap { position(of: $0) } ?? 0
        return own > current || own < oldest
    }

    private func position(of name: String) -> Int? { bundle.versionNames.firstIndex(of: name) }

    // MARK: The way out

    /// The findings with a way out if only older versions have errors: to leave the stores of these versions behind.
    func withWayOut(_ diagnostics: Diagnostics) -> Diagnostics {
        let errors = diagnostics.all.filter { $0.severity == .error }
        let positions = errors.map { version(of: $0).flatMap { position(of: $0) } }
        guard let current = position(of: bundle.currentVersionName), let last = positions.compactMap(\.self).max(),
            positions.allSatisfy({ $0.map { $0 < current } ?? false })
        else { return diagnostics }
        return diagnostics.adding(wayOut(to: last + 1), to: { $0.severity == .error })
    }

    /// The same for findings about the migrations between versions, which are reported at the later one. The migration
    /// to the current version is past too, unless nothing was released with Ashlar.
    func withWayOutOfSteps(_ diagnostics: Diagnostics, isReleased: Bool) -> Diagnostics {
        let errors = diagnostics.all.filter { $0.severity == .error }
        let positions = errors.map { version(of: $0).flatMap { position(of: $0) } }
        guard let current = position(of: bundle.currentVersionName), let last = positions.compactMap(\.self).max(),
            errors.allSatisfy({ $0.code == .migrationNotInferrable }),
            positions.allSatisfy({ $0.map { isReleased ? $0 < current : $0 <= current } ?? false })
        else { return diagnostics }
        return diagnostics.adding(wayOut(to: last), to: { $0.severity == .error })
    }

    private func wayOut(to position: Int) -> String {
        let name = bundle.versionNames[position]
        return
            "If no store of an older version than '\(name)' is opened or imported any more, one of Core Data's among them, "
            + "leave them behind: \"oldestVersion\": {\"\(bundle.name)\": \"\(name)\"} in ashlar.json. Their files cannot be "
            + "imported then"
    }
}

extension Diagnostics {
    fileprivate func adding(_ note: String, to isMeant: (Diagnostic) -> Bool) -> Diagnostics {
        var result = Diagnostics()
        for var finding in all {
            if isMeant(finding) { finding.notes.append(note) }
            result.report(finding)
        }
        return result
    }
}
