@_spi(Generated) import Ashlar
import AshlarSQLite
import DataModel
import Foundation

/// The values that the program's own types allow for attributes of older versions of its model.
///
/// An enumeration has its cases, a Codable type its samples, and a transformer its output for samples of its values. An
/// attribute of an older version has the type that the current version gives to its successor.
struct ProgramValues {
    /// The legal values of attributes, by the entity that declares one and its key path. A list is empty if no value
    /// could be made.
    private(set) var values: [String: [SQLiteValue]] = [:]

    /// - Parameter version: The position of the version whose attributes get values.
    init(_ model: TestedModel, version: Int) {
        for entity in model.descriptions[model.current].entities {
            for (keyPath, type) in entity.programTypes {
                guard let origin = model.origin(of: keyPath, in: entity.name, version: version) else { continue }
                let name = "\(origin.declaringEntityName).\(origin.keyPath)"
                let legal = Self.values(of: type).compactMap { Self.stored($0, as: origin.type) }
                // Two attributes may have become one in sub-entities: the values that both allow are legal.
                values[name] = values[name].map { known in known.filter(legal.contains) } ?? legal
            }
        }
    }

    /// Returns the value of an older column that becomes a value of the current one; nil if there is none.
    private static func stored(_ value: SQLiteValue, as type: DataModel.AttributeType) -> SQLiteValue? {
        switch (type, value) {
        case (.integer16, .integer(let number)): Int16(exactly: number).map { .integer(Int64($0)) }
        case (.integer32, .integer(let number)): Int32(exactly: number).map { .integer(Int64($0)) }
        case (.integer64, .integer), (.string, .text), (.binary, .blob), (.transformable, .blob),
            (.double, .real), (.float, .real), (.date, .real), (.uuid, .blob), (.uri, .text), (.decimal, .text),
            (.boolean, .integer):
            value
        case (.string, .integer(let number)): .text(String(number))
        case (.integer16, .text(let text)): Int16(text).map { .integer(Int64($0)) }
        case (.integer32, .text(let text)): Int32(text).map { .integer(Int64($0)) }
        case (.integer64, .text(let text)): Int64(text).map { .integer($0) }
        default: nil
        }
    }

    // MARK: Values of a type

    static func values(of type: ProgramType) -> [SQLiteValue] {
        switch type {
        case .rawValue(let type): rawValues(of: type)
        case .json(let type, let isText): samples(of: type, isText: isText)
        case .transformed(let transformer): transformed(by: transformer)
        }
    }

    /// The raw values of all cases; of a type that does not list them, the small numbers that are raw values.
    private static func rawValues<Value: RawRepresentable>(of type: Value.Type) -> [SQLiteValue] {
        if let type = type as? any CaseIterable.Type { return rawValues(ofCasesOf: type) }
        guard let numbers = Value.RawValue.self as? any FixedWidthInteger.Type else { return [] }
        return rawValues(of: type, numbers)
    }

    private static func rawValues<Value: CaseIterable>(ofCasesOf type: Value.Type) -> [SQLiteValue] {
        type.allCases.compactMap { value in
            let rawValue = (value as? any RawRepresentable)?.rawValue
            return (rawValue as? any StoredRawValue)?._ashlarSQLiteValue
        }
    }

    private static func rawValues<Value: RawRepresentable, Number: FixedWidthInteger>(
        of type: Value.Type, _ numbers: Number.Type
    ) -> [SQLiteValue] {
        (-10...100).compactMap { number in
            guard let rawValue = Number(exactly: number) as? Value.RawValue, Value(rawValue: rawValue) != nil else {
                return nil
            }
            return .integer(Int64(number))
        }
    }

    private static func samples<Value: Codable>(of type: Value.Type, isText: Bool) -> [SQLiteValue] {
        // The same seed must give the same bytes.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return SampleDecoder.samples(of: type).compactMap { sample in
            // A sample that cannot be read again would fail the test, although the migration is right.
            guard let data = try? encoder.encode(sample), (try? JSONDecoder().decode(type, from: data)) != nil
            else { return nil }
            return isText ? .text(String(decoding: data, as: UTF8.self)) : .blob(data)
        }
    }

    private static func transformed<Transformer: AttributeTransformer>(by type: Transformer.Type) -> [SQLiteValue] {
        guard let valueType = Transformer.Value.self as? any Decodable.Type else { return [] }
        return SampleDecoder.samples(of: valueType).compactMap { sample in
            guard let value = sample as? Transformer.Value, let data = try? Transformer.data(from: value),
                (try? Transformer.value(from: data)) != nil
            else { return nil }
            return .blob(data)
        }
    }
}
