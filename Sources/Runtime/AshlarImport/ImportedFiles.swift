import Ashlar
import AshlarSQLite
import CoreDataStore
import StoreDescription
import SystemFoundation

/// Copies large values that Core Data keeps in files beside its store into the folder of a store of ours.
///
/// The row of such a value has the byte 2, followed by the file's name, a UUID that ends with a zero. Nothing else is
/// taken for a name, so that no path leads out of the folder.
final class ImportedFiles {
    private let source: URL
    private let target: ExternalDataFolder
    /// Records that files are added.
    private let folder: ImportedFolder
    private(set) var count = 0
    private(set) var byteCount: Int64 = 0
    /// The error in the middle of a statement. SQLite returns only its message.
    private(set) var error: (any Error)?

    init(from source: URL, to target: ExternalDataFolder, folder: ImportedFolder) {
        (self.source, self.target, self.folder) = (source, target, folder)
    }

    /// Registers the functions of the copy's statements on a connection.
    func register(on connection: Connection) throws(SQLiteError) {
        for function in CoreDataCopy.Function.allCases {
            let count: Int32 = function == .failure ? 0 : 1
            // A file is found and copied with its row, and the function that ends a statement must not run before.
            let isDeterministic = ![.file, .hasFile, .failure].contains(function)
            try connection.addFunction(function.rawValue, argumentCount: count, isDeterministic: isDeterministic) {
                values in
                switch function {
                case .failure: throw ImportedFiles.InvalidRow()
                case .decimal: ImportedFiles.decimal(values[0])
                case .isURI:
                    if case .text(let text) = values[0], URL(string: text) != nil { .integer(1) } else { .integer(0) }
                case .blob: ImportedFiles.blob(values[0])
                case .hasFile: .integer(self.hasFile(values[0]) ? 1 : 0)
                case .file: try self.bring(values[0])
                }
            }
        }
    }

    /// The error for a row with data that the model does not allow.
    struct InvalidRow: Error, CustomStringConvertible {
        var description: String { "a row holds a value that the model does not allow" }
    }

    /// A number as the text of a decimal number; NULL for other values. Core Data stores the nearest binary number,
    /// whose shortest digits are the original ones.
    private static func decimal(_ value: SQLiteValue) -> SQLiteValue {
        if case .integer(let number) = value { return .text(String(number)) }
        return DecimalNumber.decimal(value).map(DecimalNumber.text) ?? .null
    }

    /// A value that Core Data keeps outside of an attribute's own column, in our format; nil if it does not have the
    /// type.
    static func value(_ value: SQLiteValue, as type: ColumnLine.AttributeType) -> SQLiteValue? {
        switch (type, value) {
        case (.integer16, .integer(let number)): Int16(exactly: number) == nil ? nil : value
        case (.integer32, .integer(let number)): Int32(exactly: number) == nil ? nil : value
        case (.boolean, .integer(let number)): (0...1).contains(number) ? value : nil
        case (.integer64, .integer), (.string, .text): value
        case (.double, .real), (.float, .real), (.date, .real): value
        case (.double, .integer(let number)), (.float, .integer(let number)), (.date, .integer(let number)):
            .real(Double(number))
        case (.decimal, _): decimal(value).isNull ? nil : decimal(value)
        case (.uri, .text(let text)): URL(string: text) == nil ? nil : value
        case (.uuid, .blob(let bytes)): bytes.count == 16 ? value : nil
        case (.binary, .blob), (.transformable, .blob): blob(value)
        default: nil
        }
    }

    /// The file's name in the bytes of a row; nil if they do not name a file.
    static func name(_ value: SQLiteValue) -> String? {
        guard case .blob(let bytes) = value, bytes.first == 2 else { return nil }
        var name = bytes.dropFirst()
        if name.last == 0 { name = name.dropLast() }
        guard name.count == 36 else { return nil }
        let text = String(decoding: name, as: UTF8.self)
        return UUID(uuidString: text) != nil ? text : nil
    }

    /// Returns whether the bytes of a row name a file that is there.
    func hasFile(_ value: SQLiteValue) -> Bool { Self.name(value).flatMap(file) != nil }

    /// A regular file, whether or not the case of its letters is the row's. A link is refused, because it may lead
    /// anywhere.
    private func file(_ name: String) -> URL? {
        [name, name.uppercased(), name.lowercased()].lazy.map { self.source.appendingPathComponent($0) }.first { url in
            let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
            return type == .typeRegular
        }
    }

    /// Copies the file that the bytes of a row name, and gives the blob that names the copy.
    func bring(_ value: SQLiteValue) throws -> SQLiteValue {
        guard let name = Self.name(value), let url = file(name), let uuid = UUID(uuidString: name) else { return .null }
        do {
            let copy = target.file(uuid.uuidString)
            let length = FileSystem.length(ofFile: url.path) ?? 0
            if FileSystem.length(ofFile: copy.path) != length {
                try folder.mark()
                try FileSystem.copy(url, to: copy, by: target.url.appendingPathComponent(UUID().uuidString))
            }
            count += 1
            byteCount += length
            return .blob(TaggedBlob.blob(TaggedBlob.Reference(name: uuid.uuidString, byteCount: Int(length))))
        } catch {
            self.error = self.error ?? error
            throw error
        }
    }

    /// Bytes as a blob of ours: with a tag before those that would be taken for a tagged blob.
    static func blob(_ value: SQLiteValue) -> SQLiteValue {
        guard case .blob(let bytes) = value, TaggedBlob.isTagged(bytes) else { return value }
        return .blob(Data(TaggedBlob.inlineTag) + bytes)
    }
}
