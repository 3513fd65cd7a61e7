import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import RandomData
import RandomNumbers

/// Random values that columns allow by the program's own description of its model.
struct RandomColumnValues {
    var random: RandomValues
    /// Values to choose from, by `Entity.attribute`.
    private let chosen: [String: [SQLiteValue]]
    /// Whether the store may add whole numbers, so that the sum of thousands must fit into 64 bits.
    private let hasSums: Bool
    private var programValues: [String: [String: [SQLiteValue]]] = [:]
    private var attributes: [String: [Attribute]] = [:]

    init(seed: UInt64, chosen: [String: [SQLiteValue]], hasSums: Bool) {
        self.hasSums = hasSums
        random = RandomValues(generator: SeededGenerator(seed: seed)) { try KeyedArchive.data(from: $0) }
        self.chosen = chosen
    }

    /// The values of all columns of an object; NULL for references.
    mutating func row(of entity: EntityDescription) throws -> [SQLiteValue] {
        if programValues[entity.name] == nil {
            programValues[entity.name] = entity.programTypes.mapValues(ProgramValues.values(of:))
            attributes[entity.name] = entity.columns.map(attribute)
        }
        let presences = Set(
            entity.columns.filter { column in entity.columns.contains { $0.property.hasPrefix(column.property + ".") } }
                .map(\.property))
        var absent: [String] = []
        var row: [SQLiteValue] = []
        row.reserveCapacity(entity.columns.count)
        for (number, column) in entity.columns.enumerated() {
            let isAbsent = absent.contains { column.property.hasPrefix($0 + ".") }
            if entity.isReference(number) {
                row.append(.null)
            } else if presences.contains(column.property) {
                let isNil = isAbsent || random.generator.oneIn(3)
                if isNil { absent.append(column.property) }
                row.append(isNil ? .null : .integer(1))
            } else if isAbsent {
                row.append(.null)
            } else {
                row.append(try value(number, column, entity))
            }
        }
        return row
    }

    private mutating func value(
        _ number: Int, _ column: ColumnDescription, _ entity: EntityDescription
    ) throws -> SQLiteValue {
        let name = "\(column.entity).\(column.property)"
        if let value = chosen[name]?.randomElement(using: &random.generator) { return value }
        let isOptional = column.isOptional && !column.isRequiredInComposite
        if isOptional && !column.isDerived && random.generator.oneIn(4) { return .null }
        do {
            if let legal = programValues[entity.name]?[column.property] {
                if let value = legal.randomElement(using: &random.generator) { return value }
                throw NoLegalValue(attribute: column.property, reason: "its type does not list its values")
            }
            return try random.value(of: attributes[entity.name]?[number] ?? attribute(column))
        } catch let error as NoLegalValue {
            if isOptional { return .null }
            throw RandomObjectsError.noLegalValue(property: name, reason: error.reason)
        }
    }

    /// The attribute of a column, with the bounds that its values have.
    private func attribute(_ column: ColumnDescription) -> Attribute {
        var attribute = Attribute(name: column.property, type: Self.type(column.type))
        if hasSums, column.type == .integer64 {
            attribute.minimumValue = "\(Int32.min)"
            attribute.maximumValue = "\(Int32.max)"
        }
        for rule in column.rules {
            switch rule {
            case .minimum(let bound): attribute.minimumValue = Self.text(bound)
            case .maximum(let bound): attribute.maximumValue = Self.text(bound)
            case .minimumLength(let count): attribute.minimumValue = "\(count)"
            case .maximumLength(let count): attribute.maximumValue = "\(count)"
            case .pattern(let pattern): attribute.regularExpression = pattern
            @unknown default: break
            }
        }
        return attribute
    }

    private static func text(_ bound: SQLiteValue) -> String? {
        switch bound {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .null, .blob: nil
        }
    }

    private static func type(_ type: Ashlar.AttributeType?) -> DataModel.AttributeType {
        switch type {
        case .integer16: .integer16
        case .integer32: .integer32
        case .integer64, nil: .integer64
        case .decimal: .decimal
        case .double: .double
        case .float: .float
        case .string: .string
        case .boolean: .boolean
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .uri: .uri
        case .transformable: .transformable
        }
    }
}
