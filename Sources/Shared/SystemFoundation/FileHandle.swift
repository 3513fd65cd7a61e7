#if FoundationEssentials && !os(Windows)
    /// An open file, like Foundation's class of this name, which `FoundationEssentials` lacks.
    package final class FileHandle: Sendable {
        private let descriptor: Int32
        private let isOpen: Bool

        package init(fileDescriptor: Int32, closeOnDealloc isOpen: Bool) {
            descriptor = fileDescriptor
            self.isOpen = isOpen
        }

        private convenience init(_ path: String, _ flags: Int32) throws {
            let descriptor = open(path, flags | O_CLOEXEC)
            if descriptor < 0 { throw Self.failure }
            self.init(fileDescriptor: descriptor, closeOnDealloc: true)
        }

        package convenience init(forReadingFrom url: URL) throws { try self.init(url.path, O_RDONLY) }

        package convenience init(forWritingTo url: URL) throws { try self.init(url.path, O_WRONLY) }

        package convenience init(forUpdating url: URL) throws { try self.init(url.path, O_RDWR) }

        package convenience init?(forReadingAtPath path: String) {
            guard let opened = try? Self.opened(path) else { return nil }
            self.init(fileDescriptor: opened, closeOnDealloc: true)
        }

        private static func opened(_ path: String) throws -> Int32 {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { throw failure }
            return descriptor
        }

        deinit { if isOpen { _ = systemClose(descriptor) } }

        private static var failure: any Error { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

        /// Does nothing: the file is closed when this object is released, and this is its last use.
        package func close() throws {}

        package func seek(toOffset offset: UInt64) throws {
            if lseek(descriptor, off_t(clamping: offset), SEEK_SET) < 0 { throw Self.failure }
        }

        /// The next bytes, fewer at the end of the file; nil if there are none.
        package func read(upToCount count: Int) throws -> Data? {
            let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, found in
                while found < count {
                    let next = systemRead(descriptor, buffer.baseAddress.map { $0 + found }, count - found)
                    if next == 0 { return }
                    if next > 0 {
                        found += next
                    } else if errno != EINTR {
                        throw Self.failure
                    }
                }
            }
            return bytes.isEmpty ? nil : Data(bytes)
        }

        package func write(contentsOf data: Data) throws {
            try data.withUnsafeBytes { bytes in
                var written = 0
                while written < bytes.count {
                    let next = systemWrite(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                    if next >= 0 {
                        written += next
                    } else if errno != EINTR {
                        throw Self.failure
                    }
                }
            }
        }

        package func synchronize() throws {
            if fsync(descriptor) != 0 { throw Self.failure }
        }
    }

    // Within the class, these names mean its own functions.
    private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        read(descriptor, bytes, count)
    }

    private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        write(descriptor, bytes, count)
    }

    private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
#endif
