import AshlarSQLite
import SystemFoundation

/// A column that allows fewer values than SQLite checks, for code that writes rows without objects.
package struct NarrowColumn: Sendable {
    package let column: ColumnDescription
    private let form: ProgramType.Form?

    /// Creates the description of a column; nil if SQLite itself refuses all other values.
    ///
    /// - Parameters:
    ///   - isOfProgram: Whether the values have a type of the program's own.
    ///   - form: The form that the model requires for values of that type; nil if there is none.
    package init?(_ column: ColumnDescription, isOfProgram: Bool, _ form: ProgramType.Form?) {
        let types: Set<AttributeType> = [.integer16, .integer32, .decimal, .uuid, .uri]
        guard form != nil || !isOfProgram && column.type.map(types.contains) ?? false else { return nil }
        self.form = form
        self.column = column
    }

    /// Returns a description of the allowed values if a value is not one of them; otherwise nil.
    ///
    /// The result depends only on the model. So unknown raw values are allowed, and values that the code of a
    /// transformer or of a `Codable` type may refuse.
    package func expectation(unmetBy value: SQLiteValue) -> String? {
        if let form {
            switch value {
            case .text(let text): return form.includes(Data(text.utf8)) ? nil : form.expectation
            // Bytes in files or logs are checked there.
            case .blob(let bytes) where !TaggedBlob.isTagged(bytes) && TaggedBlob.loggedHash(bytes) == nil:
                return form.includes(bytes) ? nil : form.expectation
            default: return nil
            }
        }
        switch (column.type, value) {
        case (.integer16?, .integer(let number)): return Self.expectation(Int16.self, number)
        case (.integer32?, .integer(let number)): return Self.expectation(Int32.self, number)
        case (.decimal?, .text(let text)):
            return Decimal(string: text, locale: DecimalText.locale) == nil ? "a decimal number" : nil
        case (.uuid?, .blob(let bytes)): return bytes.count == 16 ? nil : "a UUID"
        case (.uri?, .text(let text)): return URL(string: text) == nil ? "a URL" : nil
        default: return nil
        }
    }

    private static func expectation<Number: FixedWidthInteger>(_ type: Number.Type, _ number: Int64) -> String? {
        Number(exactly: number) == nil ? "an integer from \(Number.min) to \(Number.max)" : nil
    }

    /// Returns the nearest number that the column allows; returns other values unchanged.
    package func bounded(_ value: SQLiteValue) -> SQLiteValue {
        switch (column.type, value) {
        case (.integer16?, .integer(let number)): .integer(Int64(Int16(clamping: number)))
        case (.integer32?, .integer(let number)): .integer(Int64(Int32(clamping: number)))
        default: value
        }
    }
}

extension ModelDescription {
    /// The columns that allow fewer values than SQLite checks, by table and name.
    package var narrowColumns: [String: [String: NarrowColumn]] {
        var columns: [String: [String: NarrowColumn]] = [:]
        for entity in entities {
            let types = entity.programTypes
            for column in entity.columns {
                let type = types[column.property]
                guard let narrow = NarrowColumn(column, isOfProgram: type != nil, type?.form) else { continue }
                columns[entity.tableName, default: [:]][column.name] = narrow
            }
        }
        return columns
    }
}

extension ProgramType {
    /// The form that the model requires for values of a type, regardless of the program's code.
    package struct Form: Sendable {
        var expectation: String
        var includes: @Sendable (Data) -> Bool

        package static let json = Form(expectation: "JSON") {
            (try? JSONDecoder().decode(AnyJSON.self, from: $0)) != nil
        }

        package static func archive(of type: any ArchivableValue.Type) -> Form {
            Form(expectation: "an archive of its type") { type.isArchive($0) }
        }
    }

    fileprivate var form: Form? {
        switch self {
        case .rawValue: nil
        case .json: .json
        case .transformed(let transformer):
            (transformer as? any ArchiveReading.Type).map { .archive(of: $0.archivedType) }
        }
    }
}

/// Any JSON. The decoder checks the form of the entire text first.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) {}
}

/// A transformer that reads archives.
private protocol ArchiveReading: SendableMetatype {
    static var archivedType: any ArchivableValue.Type { get }
}

extension SecureUnarchiveFromDataTransformer: ArchiveReading {
    fileprivate static var archivedType: any ArchivableValue.Type { Value.self }
}

extension ArchivableValue {
    /// Returns whether bytes are an archive of such a value, as far as that does not depend on the program's code.
    fileprivate static func isArchive(_ data: Data) -> Bool {
        guard let archived = try? KeyedArchive.value(from: data) else { return false }
        // The archives that a type of the program's own accepts may change with the program.
        guard Self.self is any BuiltInArchivableValue.Type else { return true }
        return (try? Self(archivedValue: archived)) != nil
    }
}
