import AshlarSQLite
import SystemFoundation

/// Copies the large values that a copied store refers to into the target's folder, beside those of a store that the
/// copy replaces.
///
/// Files are written once and have UUIDs as names, so that the files of both stores can be in one folder. The old store
/// keeps all its files until the copy has the final name. From the first change on, a marker indicates that there may
/// be unused files. They are deleted at the end, or when the store is next opened.
final class ExternalDataCopier {
    private let source: ExternalDataFolder
    private let target: ExternalDataFolder
    /// Whether the source is deleted afterwards, so that links to its files suffice.
    private let isMoving: Bool
    private let marker: URL
    private var added: [URL] = []
    private var isMarked = false
    /// Whether the target's support folder existed before the copy.
    private let hadSupport: Bool
    /// The files of the copy, by their paths within the support folder.
    private var kept: Set<String> = []

    /// - Parameter identifier: The identifier in the copy's name. It identifies the leftovers of a killed process.
    init(
        from source: ExternalDataFolder, to target: ExternalDataFolder, isMoving: Bool, identifier: String
    ) {
        (self.source, self.target, self.isMoving) = (source, target, isMoving)
        hadSupport = target.hasSupport
        marker = target.support.appendingPathComponent(
            ExternalDataWriter.markerPrefix + identifier, isDirectory: false)
    }

    /// Copies the files. The caller must prevent their deletion, which reading a state of the store does.
    ///
    /// - Returns: The problems of files that the source lacks or has in part, and that the target did not have.
    func copy(_ references: Set<TaggedBlob.Reference>) throws -> [String] {
        let others = try otherFiles(in: source)
        if references.isEmpty, others.isEmpty, !hadSupport { return [] }
        try FileSystem.createFolder(target.support)
        try FileSystem.create(marker)
        isMarked = true
        if !references.isEmpty { try FileSystem.createFolder(target.url) }
        var problems: [String] = []
        for reference in references.sorted(by: { $0.name < $1.name }) {
            try Task.checkCancellation()
            kept.insert("\(target.url.lastPathComponent)/\(reference.name)")
            try copy(reference)
            // A store that is replaced may have a value that the source lacks.
            if let inCopy = target.problem(of: reference) {
                let problem = source.problem(of: reference) ?? inCopy
                problems.append("\(source.file(reference.name).path) \(problem)")
            }
        }
        for path in others {
            kept.insert(path)
            let copy = target.support.appendingPathComponent(path)
            try FileSystem.createFolder(copy.deletingLastPathComponent())
            try add(source.support.appendingPathComponent(path), to: copy)
        }
        for folder in references.isEmpty ? [target.support] : [target.url, target.support] {
            try FileSystem.synchronize(folder)
        }
        return problems
    }

    private func copy(_ reference: TaggedBlob.Reference) throws {
        let (original, copy) = (source.file(reference.name), target.file(reference.name))
        guard let length = FileSystem.length(ofFile: original.path) else { return }
        if let found = FileSystem.length(ofFile: copy.path) {
            // The existing store is a copy of the source, or the source of it. A complete file is the same in both.
            if Int(found) == reference.byteCount { return }
            // An incomplete file is better than a shorter one, and worse than a complete one.
            if found >= length, Int(length) != reference.byteCount { return }
        } else if isMoving, try FileSystem.link(original, to: copy) {
            added.append(copy)
            return
        }
        try add(original, to: copy)
    }

    private func add(_ original: URL, to copy: URL) throws {
        let isNew = !FileSystem.exists(copy.path)
        // A temporary file has the name of a value's file, so that leftovers are deleted as unused ones.
        let temporary = target.url.appendingPathComponent(UUID().uuidString, isDirectory: false)
        try FileSystem.createFolder(target.url)
        try FileSystem.copy(original, to: copy, by: temporary)
        if isNew { added.append(copy) }
    }

    /// Returns the paths of files in the support folder that are not Ashlar's. They are copied with the store.
    private func otherFiles(in folder: ExternalDataFolder) throws -> [String] {
        guard folder.hasSupport else { return [] }
        // A folder that cannot be read is an error, because the copy would lack its files.
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.support.path)
        let external = folder.url.lastPathComponent + "/"
        return try paths.filter { path in
            let kind = try FileSystem.kind(ofFile: folder.support.appendingPathComponent(path).path)
            if kind != .file || path.hasPrefix(ExternalDataWriter.markerPrefix) { return false }
            return !(path.hasPrefix(external) && TaggedBlob.isFileName(String(path.dropFirst(external.count))))
        }.sorted()
    }

    /// Removes the copied files after a failure. If that fails too, the marker stays.
    func undo() {
        do {
            for url in added { try FileSystem.remove(url) }
            if isMarked || !hadSupport { try FileSystem.remove(hadSupport ? marker : target.support) }
        } catch {
            return
        }
    }

    /// Removes the files of the replaced store after the copy got its name. If that fails, the marker stays.
    func finish() {
        guard isMarked else { return }
        do {
            for name in try target.names().sorted()
            where !kept.contains("\(target.url.lastPathComponent)/\(name)") {
                try FileSystem.remove(target.file(name))
            }
            for path in try otherFiles(in: target) where !kept.contains(path) {
                try FileSystem.remove(target.support.appendingPathComponent(path))
            }
            for marker in try FileManager.default.contentsOfDirectory(atPath: target.support.path)
            where marker.hasPrefix(ExternalDataWriter.markerPrefix) {
                try FileSystem.remove(target.support.appendingPathComponent(marker))
            }
            if kept.isEmpty { try FileSystem.remove(target.support) }
        } catch {
            return
        }
    }
}
