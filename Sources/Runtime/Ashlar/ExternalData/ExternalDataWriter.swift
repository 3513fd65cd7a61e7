import AshlarSQLite
import FileErrors
import SystemFoundation

/// Writes large values into files for the connection that writes the store, and deletes the files of those that went.
///
/// A file is on the disk before the transaction commits whose row refers to it, and is deleted only after the one is on
/// the disk after which nothing refers to it and nobody can read an older state. So a crash leaves a file too many at
/// worst. While that can be, a marker stands beside the folder, and who opens the store next looks for such files.
///
/// It is used under the lock of the connection, within transactions that keep other processes from writing.
package final class ExternalDataWriter {
    /// The steps of a transaction between which a crash must do no harm.
    enum Step: Sendable, CaseIterable {
        case mark, create, write, synchronizeFile, synchronizeFolder, commit, checkpoint, delete, unmark
    }

    let folder: ExternalDataFolder
    /// The size in bytes from which on a value gets a file.
    let threshold: Int
    /// Tests look at the files, or throw, before each step.
    var observer: ((Step) throws -> Void)?

    /// The files of this transaction, and those of its present statement.
    private var written: [String] = []
    private var unconfirmed: [String] = []
    /// The files of values that this transaction replaces or deletes, and earlier ones that somebody could still read.
    private var retired: [String] = []
    private var leftOver: [String] = []
    /// The name by which the connection knows the store.
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

    /// Whether a transaction that did not come to its end may have left files.
    var hasMarkers: Bool { !markers.isEmpty }

    var markers: [URL] {
        guard folder.hasSupport else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.support.path)) ?? []
        return names.filter { $0.hasPrefix(Self.markerPrefix) }.map { folder.support.appendingPathComponent($0) }
    }

    // MARK: Before the commit

    /// Writes a value into a file, and returns what its column holds; nil for a value that belongs into its row.
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

    /// A statement ran, and the files that it refers to belong to the transaction.
    func confirm() {
        if unconfirmed.isEmpty { return }
        written += unconfirmed
        unconfirmed = []
    }

    /// A statement did not run.
    func discardUnconfirmed() {
        for name in unconfirmed { try? folder.remove(name) }
        unconfirmed = []
    }

    /// A column that the transaction replaces or deletes refers to a file.
    func retire(_ name: String) throws {
        if FileManager.default.fileExists(atPath: folder.url.path) { try saying(marker, mark) }
        retired.append(name)
    }

    /// Waits until the disk has the names of the files too, as it has their content.
    func synchronize() throws {
        try saying(folder.url) {
            if !written.isEmpty {
                try observer?(.synchronizeFolder)
                for url in [folder.url, folder.support] { try Self.synchronize(url) }
            }
            if isMarked { try observer?(.commit) }
        }
    }

    /// Says of an error which file it is about.
    private func saying(_ url: URL, _ body: () throws -> Void) throws(ExternalDataError) {
        do {
            try body()
        } catch let error as ExternalDataError {
            throw error
        } catch {
            throw ExternalDataError(url: url, reason: FileErrorReason.text(error))
        }
    }

    /// The transaction was undone. The files stay when that is not certain; the marker then stays too.
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

    /// How many files a transaction has written and replaced.
    struct Mark {
        fileprivate var written: Int
        fileprivate var retired: Int
    }

    /// How far the transaction has come.
    var place: Mark { Mark(written: written.count, retired: retired.count) }

    /// The part of the transaction after a mark was undone.
    func rollBack(to mark: Mark) {
        discardUnconfirmed()
        for name in written[mark.written...] { try? folder.remove(name) }
        written.removeSubrange(mark.written...)
        retired.removeSubrange(mark.retired...)
    }

    // MARK: After the commit

    /// The transaction is committed: deletes the files that nothing refers to any more, now or after a later one.
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
                // What is committed is committed. The marker stays, and a later transaction tries again.
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
            // Another process opened the store meanwhile and looked for orphans.
        } catch {
            // The next transaction tries again.
            return
        }
        isMarked = false
    }

    /// Makes the disk keep a folder's list of files.
    private static func synchronize(_ folder: URL) throws {
        #if !os(Windows)
            let descriptor = open(folder.path, O_RDONLY)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        #endif
    }
}
