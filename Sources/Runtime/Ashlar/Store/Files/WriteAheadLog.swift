import SystemFoundation

/// The write-ahead log beside a store's file, read without SQLite, which would change the files by reading them.
struct WriteAheadLog {
    private static let headerLength = 32
    private static let frameHeaderLength = 24

    let path: String

    /// Creates a reader of the log of the store at a path.
    init(of store: String) {
        path = store + "-wal"
    }

    /// Whether the log is empty. Programs that only read leave an empty log.
    var isEmpty: Bool { FileSystem.length(ofFile: path) ?? 0 == 0 }

    /// Returns the beginning of the newest committed first page in the log; nil if the log has none.
    func firstPage() throws -> Data? { try read().firstPage }

    /// Returns the length in bytes that the store's file has after the log's commits; nil if the log has none.
    func storeLength() throws -> UInt64? { try read().storeLength }

    private func read() throws -> (firstPage: Data?, storeLength: UInt64?) {
        guard let handle = FileHandle(forReadingAtPath: path) else { return (nil, nil) }
        defer { try? handle.close() }
        guard let header = try handle.read(upToCount: Self.headerLength), header.count == Self.headerLength,
            header.integer(at: 0) & ~1 == 0x377F_0682
        else { return (nil, nil) }
        let pageLength = UInt64(header.integer(at: 8))
        guard pageLength >= 512, pageLength <= 65536 else { return (nil, nil) }
        let salts = header[16..<24]
        var offset = UInt64(Self.headerLength)
        var candidate: Data?
        var committed: Data?
        var length: UInt64?
        while true {
            try handle.seek(toOffset: offset)
            guard let frame = try handle.read(upToCount: Self.frameHeaderLength + 100),
                frame.count == Self.frameHeaderLength + 100, frame[8..<16].elementsEqual(salts)
            else { return (committed, length) }
            if frame.integer(at: 0) == 1 { candidate = Data(frame.dropFirst(Self.frameHeaderLength)) }
            // The frame that ends a transaction has the number of pages that the database has then.
            let pageCount = frame.integer(at: 4)
            if pageCount != 0 {
                committed = candidate ?? committed
                length = UInt64(pageCount) * pageLength
            }
            offset += UInt64(Self.frameHeaderLength) + pageLength
        }
    }
}

/// The content of the first 100 bytes of an SQLite file.
struct DatabaseHeader {
    static let length = 100
    private let bytes: Data

    /// Creates a header; nil unless the bytes are the header of an SQLite database.
    init?(_ bytes: Data) {
        guard bytes.count == Self.length, bytes.starts(with: Data("SQLite format 3\0".utf8)) else { return nil }
        self.bytes = bytes
    }

    /// The bytes at offset 68 of a store of Ashlar.
    static let applicationIdentifierBytes = withUnsafeBytes(of: StoreMetadata.applicationIdentifier.bigEndian) {
        Array($0)
    }

    /// The number of the program that created the file.
    var applicationIdentifier: Int32 { Int32(bitPattern: bytes.integer(at: 68)) }

    /// The length that the file must have; nil if the header does not record it, as in files of very old programs.
    var fileLength: UInt64? {
        guard bytes.integer(at: 24) == bytes.integer(at: 92) else { return nil }
        let pageLength = UInt64(bytes.integer(at: 16) >> 16)
        return UInt64(bytes.integer(at: 28)) * (pageLength == 1 ? 65536 : pageLength)
    }

    /// Whether no table was ever created, as when a program was killed while it created a store.
    var isUnused: Bool {
        applicationIdentifier == 0 && bytes.integer(at: 28) <= 1 && bytes.integer(at: 40) == 0
            && bytes.integer(at: 60) == 0
    }
}

extension Data {
    /// Four bytes as a big-endian number.
    fileprivate func integer(at offset: Int) -> UInt32 {
        self[(startIndex + offset)..<(startIndex + offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
