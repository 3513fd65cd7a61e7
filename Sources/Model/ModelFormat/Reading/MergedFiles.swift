/// The files of other bundles that a version is merged with, from both sides: the bundles that its own one names, and those
/// that name it.
package struct MergedFiles {
    /// A file of a version, with the name of its bundle.
    package struct File {
        package var path: String
        package var bundleName: String
    }

    /// The version of another bundle into which this one is merged.
    struct Outer {
        var bundle: String
        var version: String
    }

    /// The files without the version's own.
    package private(set) var files: [File] = []
    /// The newest version that this one is merged into.
    private(set) var outer: Outer?

    /// Finds the files.
    ///
    /// - Parameters:
    ///   - version: The name of the version.
    ///   - names: The names of the bundle's versions, the oldest first. They are read only if other bundles are merged.
    ///   - bundle: The path of the bundle.
    ///   - others: The paths of the bundles that may name it.
    package init(
        ofVersion version: String, among names: @autoclosure () -> [String], inBundle bundle: String, others: [String]
    ) {
        files = Self.files(mergedInto: version, among: names(), inBundle: bundle)
        let own = ModelFiles.standardized(Self.contents(ofVersion: version, inBundle: bundle))
        for other in others where MergedBundles.paths(ofBundle: other).contains(where: { Self.isSame($0, bundle) }) {
            let names = ModelReader.versionNames(inBundle: other)
            for name in names.reversed() {
                let merged = Self.files(mergedInto: name, among: names, inBundle: other)
                guard merged.contains(where: { ModelFiles.standardized($0.path) == own }) else { continue }
                outer = Outer(bundle: other, version: name)
                let path = Self.contents(ofVersion: name, inBundle: other)
                files += [File(path: path, bundleName: ModelFiles.name(ofPath: other))] + merged
                break
            }
        }
        var seen: Set<String> = [own]
        files.removeAll { !seen.insert(ModelFiles.standardized($0.path)).inserted }
    }

    private static func files(
        mergedInto version: String, among names: @autoclosure () -> [String], inBundle bundle: String,
        within outer: [String] = []
    ) -> [File] {
        let chain = outer + [bundle]
        let entries = MergedBundles(ofBundle: bundle).entries
        if entries.isEmpty { return [] }
        let names = names()
        return entries.flatMap { entry -> [File] in
            guard !chain.contains(where: { isSame($0, entry.path) }),
                let merged = entry.versionName(for: version, among: names)
            else { return [] }
            let file = File(
                path: contents(ofVersion: merged, inBundle: entry.path), bundleName: ModelFiles.name(ofPath: entry.path)
            )
            let names = ModelReader.versionNames(inBundle: entry.path)
            return [file] + files(mergedInto: merged, among: names, inBundle: entry.path, within: chain)
        }
    }

    /// The path of a version's file. A folder that is in no bundle is the version itself.
    private static func contents(ofVersion version: String, inBundle bundle: String) -> String {
        bundle.hasSuffix(".xcdatamodeld") ? "\(bundle)/\(version).xcdatamodel/contents" : bundle + "/contents"
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        ModelFiles.standardized(path) == ModelFiles.standardized(other)
    }
}
