import FileErrors
import SystemFoundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Operations on whole files, whose errors name the file.
package enum FileSystem {
    /// An observer for tests, which is called before each change, and may throw.
    @TaskLocal static var observer: (@Sendable (URL) throws -> Void)?

    /// Returns whether there is a file or folder at a path, or at the destination of a link there.
    package static func exists(_ path: String) -> Bool {
        #if os(Windows)
            FileManager.default.fileExists(atPath: path)
        #else
            access(path, F_OK) == 0
        #endif
    }

    /// Returns whether this process may write a file, or make files in a folder.
    static func isWritable(_ path: String) -> Bool {
        #if os(Windows)
            FileManager.default.isWritableFile(atPath: path)
        #else
            access(path, W_OK) == 0
        #endif
    }

    /// Returns the parts of a path: the folder, without a final separator unless it is the root, and the name in it.
    static func parts(of path: String) -> (folder: String, name: String) {
        let separators: [UInt8]
        #if os(Windows)
            separators = Array("/\\".utf8)
        #else
            separators = [UInt8(ascii: "/")]
        #endif
        guard let end = path.utf8.lastIndex(where: separators.contains) else { return (".", path) }
        let folder = end == path.startIndex ? path[...end] : path[..<end]
        return (String(folder), String(path[path.utf8.index(after: end)...]))
    }

    /// Returns the same path for a file regardless of the links that lead to it, and even if it does not exist yet.
    package static func canonicalPath(_ path: String) -> String {
        #if os(Windows)
            URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
        #else
            canonicalPath(path, links: 0)
        #endif
    }

    #if !os(Windows)
        private static func canonicalPath(_ path: String, links: Int) -> String {
            if let known = existingPath(path) { return known }
            let (folder, name) = parts(of: path)
            // A link may lead to a file that does not exist yet.
            if links < 32, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                return canonicalPath(target.hasPrefix("/") ? target : "\(folder)/\(target)", links: links + 1)
            }
            guard let folder = existingPath(folder) else { return URL(fileURLWithPath: path).standardizedFileURL.path }
            return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
        }

        private static func existingPath(_ path: String) -> String? {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
    #endif

    /// Returns the first bytes of a file, or all if it has fewer; nil if there is no file.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read.
    static func beginning(ofFile path: String, length: Int) throws(StoreError) -> Data? {
        // Making a URL asks the system about the file.
        func unreadable(_ reason: String) -> StoreError { .unreadable(URL(fileURLWithPath: path), reason: reason) }
        #if os(Windows)
            guard exists(path) else { return nil }
            do {
                let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
                defer { try? handle.close() }
                return try handle.read(upToCount: length) ?? Data()
            } catch {
                throw unreadable(FileErrorReason.text(error))
            }
        #else
            // Opening a pipe would wait for a process that writes into it.
            if try kind(ofFile: path) == .other { throw .notADatabase(URL(fileURLWithPath: path)) }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            if descriptor < 0 {
                let reason = String(cString: strerror(errno))
                if exists(path) { throw unreadable(reason) }
                return nil
            }
            defer { close(descriptor) }
            let bytes = try [UInt8](unsafeUninitializedCapacity: length) { (buffer, count) throws(StoreError) in
                while count < length {
                    let read = read(descriptor, buffer.baseAddress! + count, length - count)
                    if read == 0 { return }
                    if read > 0 {
                        count += read
                    } else if errno == EISDIR {
                        throw .notADatabase(URL(fileURLWithPath: path))
                    } else if errno != EINTR {
                        throw unreadable(String(cString: strerror(errno)))
                    }
                }
            }
            return Data(bytes)
        #endif
    }

    /// The kind of file at a path.
    package enum Kind {
        case missing
        case file
        /// A folder, a pipe, a socket, a device.
        case other
    }

    /// Returns the kind of file at a path, or at the destination of a link there.
    package static func kind(ofFile path: String) throws(StoreError) -> Kind {
        #if os(Windows)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return .missing }
            return isFolder.boolValue ? .other : .file
        #else
            var status = stat()
            // If the system refuses access, opening the file reports the reason.
            guard stat(path, &status) == 0 else { return .missing }
            return status.st_mode & S_IFMT == S_IFREG ? .file : .other
        #endif
    }

    /// Returns the length of a file in bytes; nil if there is none.
    package static func length(ofFile path: String) -> Int64? {
        #if os(Windows)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return wholeNumber(ofAttribute: attributes?[.size])
        #else
            // Foundation looks up the names of the file's owners too.
            var status = stat()
            return stat(path, &status) == 0 ? Int64(status.st_size) : nil
        #endif
    }

    /// The identity that distinguishes a file from every other at the same time.
    package struct Identity: Hashable, Sendable {
        var volume: UInt64
        var number: UInt64
    }

    /// Returns the identity of the file at a path; nil if there is none, or if the system does not provide one.
    package static func identity(ofFile path: String) -> Identity? {
        #if os(Windows)
            return nil
        #else
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return Identity(volume: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino))
        #endif
    }

    /// Removes a file or a folder; one that is not there is no error.
    package static func remove(_ url: URL) throws {
        try observer?(url)
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        } catch {
            throw StoreError.fileOperationFailed(url, doing: "removing it", reason: FileErrorReason.text(error))
        }
    }

    /// Renames a file and replaces the file that had the name. At any time, one of the two has it.
    package static func rename(_ source: URL, to target: URL) throws {
        try observer?(target)
        #if os(Windows)
            do {
                _ = try FileManager.default.replaceItemAt(target, withItemAt: source)
            } catch {
                throw StoreError.fileOperationFailed(source, doing: "renaming it", reason: FileErrorReason.text(error))
            }
        #else
            if renameFile(source.path, target.path) == 0 { return }
            let reason = String(cString: strerror(errno))
            throw StoreError.fileOperationFailed(source, doing: "renaming it to \(target.path)", reason: reason)
        #endif
    }

    /// Makes an empty file.
    package static func create(_ url: URL) throws {
        try observer?(url)
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw StoreError.fileOperationFailed(url, doing: "making it", reason: String(cString: strerror(errno)))
        }
    }

    /// Makes a folder, with those that it is in.
    package static func createFolder(_ url: URL) throws {
        if exists(url.path) { return }
        try observer?(url)
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw StoreError.fileOperationFailed(url, doing: "making it", reason: FileErrorReason.text(error))
        }
    }

    /// Copies a file to disk under a temporary name. When it is complete, it replaces the file with the final name.
    package static func copy(_ source: URL, to target: URL, by temporary: URL) throws {
        try observer?(temporary)
        do {
            try FileManager.default.copyItem(at: source, to: temporary)
            let file = try FileHandle(forUpdating: temporary)
            defer { try? file.close() }
            try file.synchronize()
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw StoreError.fileOperationFailed(source, doing: "copying it", reason: FileErrorReason.text(error))
        }
        do {
            try rename(temporary, to: target)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw error
        }
    }

    /// Lets this process write a file, which is a copy of one that it may not write.
    static func makeWritable(_ url: URL) throws {
        do {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        } catch {
            throw StoreError.fileOperationFailed(url, doing: "making it writable", reason: FileErrorReason.text(error))
        }
    }

    /// Gives a file a second name, which no file has. Returns false if the two places are on different volumes, or if
    /// the volume does not support links.
    static func link(_ source: URL, to target: URL) throws -> Bool {
        try observer?(target)
        #if os(Windows)
            return false
        #else
            return linkFile(source.path, target.path) == 0
        #endif
    }

    /// Waits until the disk has a folder's list of names, so that a power failure undoes no renaming.
    package static func synchronize(_ folder: URL) throws {
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
