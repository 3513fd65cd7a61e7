import AshlarSQLite
import SystemFoundation

/// Brings the large values that a copy of a store refers to to where the copy will be, beside those of a store that is
/// there and is to be replaced.
///
/// A file is written once and its name is a UUID, so that the files of both stores can be in one folder: the old store
/// keeps all of its own until the copy has its name. From the first change on a marker says that there may be files too
/// many. They go in the end, or when whichever store is then there is next opened.
final class ExternalDataCopier {
    private let source: ExternalDataFolder
    private let target: ExternalDataFolder
    /// Whether the source goes afterwards, so that its files need no copies.
    private let isMoving: Bool
    private let marker: URL
    private var added: [URL] = []
    private var isMarked = false
    /// Whether there was a folder before anything was brought.
    private let hadSupport: Bool
    /// The files of the copy, by paths within the support folder.
    private var kept: Set<String> = []

    /// - Parameter identifier: The one in the name of the copy, which identifies the leftovers of a killed process.
    init(
        from source: ExternalDataFolder, to target: ExternalDataFolder, isMoving: Bool, identifier: String
    ) {
        (self.source, self.target, self.isMoving) = (source, target, isMoving)
        hadSupport = target.hasSupport
        marker = target.support.appendingPathComponent(
            ExternalDataWriter.markerPrefix + identifier, isDirectory: false)
    }

    /// Brings the files. Nobody may delete them meanwhile: who reads a state of the store keeps them.
    ///
    /// - Returns: Problems of files that the source lacks, or has only in part.
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
            if let problem = target.problem(of: reference) {
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
            // The store that is there was copied from the source, or the source from it. A whole file is the same in both.
            if found >= length || Int(found) == reference.byteCount { return }
        } else if isMoving, try FileSystem.link(original, to: copy) {
            added.append(copy)
            return
        }
        try add(original, to: copy)
    }

    private func add(_ original: URL, to copy: URL) throws {
        let isNew = !FileSystem.exists(copy.path)
        // The name is one that is removed as that of a file which nothing refers to.
        let temporary = target.url.appendingPathComponent(UUID().uuidString, isDirectory: false)
        try FileSystem.createFolder(target.url)
        try FileSystem.copy(original, to: copy, by: temporary)
        if isNew { added.append(copy) }
    }

    /// Files in the support folder that are none of Ashlar's, which go along with the store: their paths in it.
    private func otherFiles(in folder: ExternalDataFolder) throws -> [String] {
        guard folder.hasSupport else { return [] }
        // A folder that cannot be read stops the copy, which would otherwise lack what is in it.
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.support.path)
        let external = folder.url.lastPathComponent + "/"
        return try paths.filter { path in
            let kind = try FileSystem.kind(ofFile: folder.support.appendingPathComponent(path).path)
            if kind != .file || path.hasPrefix(ExternalDataWriter.markerPrefix) { return false }
            return !(path.hasPrefix(external) && TaggedBlob.isFileName(String(path.dropFirst(external.count))))
        }.sorted()
    }

    /// Removes the copied files after a failure. The marker lists those that cannot be removed now.
    func undo() {
        do {
            for url in added { try FileSystem.remove(url) }
            if isMarked || !hadSupport { try FileSystem.remove(hadSupport ? marker : target.support) }
        } catch {
            return
        }
    }

    /// Removes the files of the replaced store after the copy got its name. The marker lists those that cannot be
    /// removed now.
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
