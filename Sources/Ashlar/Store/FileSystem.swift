import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// What happens to whole files, with errors that say of which.
enum FileSystem {
    /// Tests look at the files, or throw, before each change.
    @TaskLocal static var observer: (@Sendable (URL) throws -> Void)?

    /// The length of a file in bytes; nil when there is none.
    static func length(ofFile path: String) -> Int64? {
        #if os(Windows)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.size] as? NSNumber)?.int64Value
        #else
            // Foundation looks up the names of the file's owners too.
            var status = stat()
            return stat(path, &status) == 0 ? Int64(status.st_size) : nil
        #endif
    }

    /// Removes a file or a folder; one that is not there is no error.
    static func remove(_ url: URL) throws {
        try observer?(url)
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        } catch {
            throw StoreError.fileOperationFailed(url, doing: "removing it", reason: error.localizedDescription)
        }
    }

    /// Gives a file another name, in the place of what had that name: at any time there is the one or the other.
    static func rename(_ source: URL, to target: URL) throws {
        try observer?(target)
        #if os(Windows)
            do {
                _ = try FileManager.default.replaceItemAt(target, withItemAt: source)
            } catch {
                throw StoreError.fileOperationFailed(source, doing: "renaming it", reason: error.localizedDescription)
            }
        #else
            if Foundation.rename(source.path, target.path) == 0 { return }
            let reason = String(cString: strerror(errno))
            throw StoreError.fileOperationFailed(source, doing: "renaming it to \(target.path)", reason: reason)
        #endif
    }

    /// Copies a folder where there is one, in the place of what was there.
    static func copyFolder(_ source: URL, to target: URL) throws {
        guard FileManager.default.fileExists(atPath: source.path) else { return }
        try remove(target)
        try observer?(target)
        do {
            try FileManager.default.copyItem(at: source, to: target)
        } catch {
            throw StoreError.fileOperationFailed(source, doing: "copying it", reason: error.localizedDescription)
        }
    }

    /// Waits until the disk has a folder's list of names, so that a power failure undoes no renaming.
    static func synchronize(_ folder: URL) throws {
        #if !os(Windows)
            let descriptor = open(folder.path, O_RDONLY)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            try observer?(folder)
            // Some file systems cannot, and need not.
            if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP {
                let reason = String(cString: strerror(errno))
                throw StoreError.fileOperationFailed(folder, doing: "synchronizing it", reason: reason)
            }
        #endif
    }
}
