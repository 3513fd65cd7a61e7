import AshlarSQLite
import FileErrors
import SystemFoundation

/// Writes large values into files for the connection that writes the store, and deletes the files of replaced and
/// deleted values.
///
/// A file is on the disk before the commit of the row that refers to it. It is deleted once the transaction that
/// removed the last reference is on the disk, and no reader can use an older state. So at worst, a crash leaves an
/// unused file. While that is possible, a marker exists beside the folder, and the next opening of the store looks for
/// such files.
///
/// The writer is used under the lock of the connection, within transactions that exclude other writing processes.
package final class ExternalDataWriter {
    /// The steps of a transaction. A crash between two of them must do no harm.
    enum Step: Sendable, CaseIterable {
        case mark, create, write, synchronizeFile, synchronizeFolder, commit, checkpoint, delete, unmark
    }

    let folder: ExternalDataFolder
    /// The size in bytes from which a value is stored in a file.
    let threshold: Int
    /// A closure of tests, called before each step. It may throw.
    var observer: ((Step) throws -> Void)?

    /// The files of this transaction, and those of its current statement.
    private var written: [String] = []
    private var unconfirmed: [String] = []
    /// The files of values that this transaction replaces or deletes, and earlier ones that readers may still use.
    private var retired: [String] = []
    private var leftOver: [String] = []
    /// The schema name of the store in the connection.
    let schemaName: String
    private lazy var marker = folder.support.appendingPathComponent(
        Self.markerPrefix + UUID().uuidString, isDirectory: false)
    private var isMarked = false

    /// The prefix of the names of markers.
    package static let markerPrefix = "pending-"

    init(folder: ExternalDataFolder, threshold: Int, schemaName: String = "main") {
        self.folder = folder
        self.schemaName = schemaName
        self.threshold = threshold
    }

    /// Whether an interrupted transaction may have left files.
    var hasMarkers: Bool { !markers.isEmpty }

    var markers: [URL] {
        guard folder.hasSupport else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.support.path)) ?? []
        return names.filter { $0.hasPrefix(Self.markerPrefix) }.map { folder.support.appendingPathComponent($0) }
    }

    // MARK: Before the commit

    /// Writes a value into a file, and returns the reference for its column; nil for a value that is small enough for
    /// the row.
    func write(_ value: Data) throws -> Data? {
        if value.count < threshold { return nil }
        let name = UUID().uuidString
        let url = folder.file(name)
        try saying(url) {
            try mark()
            unconfirmed.append(name)
            try observer?(.create)
            guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                throw ExternalDataError(url: url, reason: String(cString: strerror(errno)))
            }
            let file = try FileHandle(forWritingTo: url)
            defer { try? file.close() }
            try observer?(.write)
            try file.write(contentsOf: value)
            try observer?(.synchronizeFile)
            try file.synchronize()
        }
        return TaggedBlob.blob(TaggedBlob.Reference(name: name, byteCount: value.count))
    }

    /// Assigns the files of a statement that ran to the transaction.
    func confirm() {
        if unconfirmed.isEmpty { return }
        written += unconfirmed
        unconfirmed = []
    }

    /// Deletes the files of a statement that did not run.
    func discardUnconfirmed() {
        for name in unconfirmed { try? folder.remove(name) }
        unconfirmed = []
    }

    /// Notes a file whose reference the transaction replaces or deletes.
    func retire(_ name: String) throws {
        if FileManager.default.fileExists(atPath: folder.url.path) { try saying(marker, mark) }
        retired.append(name)
    }

    /// Waits until the names of the files, like their content, are on the disk.
    func synchronize() throws {
        try saying(folder.url) {
            if !written.isEmpty {
                try observer?(.synchronizeFolder)
                for url in [folder.url, folder.support] { try Self.synchronize(url) }
            }
            if isMarked { try observer?(.commit) }
        }
    }

    /// Runs a closure, and adds the URL of a file to its error.
    private func saying(_ url: URL, _ body: () throws -> Void) throws(ExternalDataError) {
        do {
            try body()
        } catch let error as ExternalDataError {
            throw error
        } catch {
            throw ExternalDataError(url: url, reason: FileErrorReason.text(error))
        }
    }

    /// Deletes the files of a transaction that was rolled back. If the rollback is not certain, the files and the
    /// marker stay.
    func rollBack(isCertain: Bool) {
        guard isCertain else {
            forget()
            return
        }
        discardUnconfirmed()
        for name in written { try? folder.remove(name) }
        forget()
        unmark()
    }

    /// The numbers of files that a transaction has written and replaced.
    struct Mark {
        fileprivate var written: Int
        fileprivate var retired: Int
    }

    /// The current position in the transaction.
    var place: Mark { Mark(written: written.count, retired: retired.count) }

    /// Deletes the files of the part of a transaction that was rolled back to a mark.
    func rollBack(to mark: Mark) {
        discardUnconfirmed()
        for name in written[mark.written...] { try? folder.remove(name) }
        written.removeSubrange(mark.written...)
        retired.removeSubrange(mark.retired...)
    }

    // MARK: After the commit

    /// Deletes the files without references after a commit. Those that readers may still use are deleted after a later
    /// one.
    func finish(_ connection: Connection) {
        if !isMarked, leftOver.isEmpty { return }
        leftOver += retired
        forget()
        if !leftOver.isEmpty {
            do {
                try observer?(.checkpoint)
                guard try connection.restartWriteAheadLog(of: schemaName, waiting: false) else { return }
                try observer?(.delete)
                try deleteLeftOver()
            } catch {
                // The transaction is committed in any case. The marker stays, and a later transaction tries again.
                return
            }
        }
        unmark()
    }

    private func deleteLeftOver() throws {
        while let name = leftOver.last {
            try folder.remove(name)
            leftOver.removeLast()
        }
    }

    private func forget() {
        written = []
        unconfirmed = []
        retired = []
    }

    // MARK: Marker

    private func mark() throws {
        if isMarked { return }
        try observer?(.mark)
        let manager = FileManager.default
        if !manager.fileExists(atPath: folder.url.path) {
            try manager.createDirectory(at: folder.url, withIntermediateDirectories: true)
            try Self.synchronize(folder.support.deletingLastPathComponent())
        }
        guard manager.createFile(atPath: marker.path, contents: nil) else {
            throw ExternalDataError(url: marker, reason: String(cString: strerror(errno)))
        }
        isMarked = true
    }

    private func unmark() {
        guard isMarked, leftOver.isEmpty else { return }
        do {
            try observer?(.unmark)
            try FileManager.default.removeItem(at: marker)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            // Another process opened the store in the meantime and looked for orphans.
        } catch {
            // The next transaction tries again.
            return
        }
        isMarked = false
    }

    /// Writes a folder's list of files to the disk.
    private static func synchronize(_ folder: URL) throws {
        #if !os(Windows)
            let descriptor = open(folder.path, O_RDONLY)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        #endif
    }
}
