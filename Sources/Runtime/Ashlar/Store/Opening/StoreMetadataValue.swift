public import SystemFoundation

/// A value of the program in the metadata of a store. The types are those of a property list.
///
///     try container.setMetadata(["theme": "dark", "opened": 12], forKey: "settings")
public enum StoreMetadataValue: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A Boolean.
    case boolean(Bool)
    /// A date, with full precision.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An array of values.
    case array([StoreMetadataValue])
    /// Values by their names.
    case dictionary([String: StoreMetadataValue])
}

extension StoreMetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: StoreMetadataValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, StoreMetadataValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

/// In a store, a value is a JSON object whose only key names the type: `{"date":801234567.5}`.
extension StoreMetadataValue: Codable {
    private enum Kind: String, CodingKey {
        case string, integer, real, boolean, date, data, array, dictionary
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a value has one key that names its type"))
        }
        switch kind {
        case .string: self = .string(try container.decode(String.self, forKey: kind))
        case .integer: self = .integer(try container.decode(Int64.self, forKey: kind))
        case .real: self = .real(try container.decode(Double.self, forKey: kind))
        case .boolean: self = .boolean(try container.decode(Bool.self, forKey: kind))
        case .date:
            self = .date(Date(timeIntervalSinceReferenceDate: try container.decode(Double.self, forKey: kind)))
        case .data: self = .data(try container.decode(Data.self, forKey: kind))
        case .array: self = .array(try container.decode([StoreMetadataValue].self, forKey: kind))
        case .dictionary:
            self = .dictionary(try container.decode([String: StoreMetadataValue].self, forKey: kind))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch self {
        case .string(let value): try container.encode(value, forKey: .string)
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .real(let value): try container.encode(value, forKey: .real)
        case .boolean(let value): try container.encode(value, forKey: .boolean)
        case .date(let value): try container.encode(value.timeIntervalSinceReferenceDate, forKey: .date)
        case .data(let value): try container.encode(value, forKey: .data)
        case .array(let value): try container.encode(value, forKey: .array)
        case .dictionary(let value): try container.encode(value, forKey: .dictionary)
        }
    }

    /// Returns the text that a store keeps.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    init(json: String) throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        self = try decoder.decode(StoreMetadataValue.self, from: Data(json.utf8))
    }
}
