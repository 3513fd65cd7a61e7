/// A type of the program that determines the content of a column. Generators of valid values use it.
package enum ProgramType {
    /// The column holds only raw values of the type.
    case rawValue(any RawRepresentable.Type)
    /// The column holds JSON of the type, as bytes or as text.
    case json(any Codable.Type, isText: Bool)
    /// The column holds the bytes that a transformer returns.
    case transformed(any AttributeTransformer.Type)
}

extension EntityDescription {
    /// The types of the program that determine the content of columns, by the key paths of the attributes, including
    /// inherited ones.
    package var programTypes: [String: ProgramType] {
        var types: [String: ProgramType] = [:]
        for column in layout.columns.array where !column.isDerived && !column.isPresence {
            if let coding = column.slot.coding as? any ProgramCoding.Type {
                types[columns[column.number].property] = coding.programType
            }
        }
        return types
    }
}

private protocol ProgramCoding: ValueCoding {
    static var programType: ProgramType { get }
}

extension RawValueCoding: ProgramCoding {
    fileprivate static var programType: ProgramType { .rawValue(Value.self) }
}

extension UnknownRawValueCoding: ProgramCoding {
    fileprivate static var programType: ProgramType { .rawValue(Unknown.Value.self) }
}

extension JSONCoding: ProgramCoding {
    fileprivate static var programType: ProgramType { .json(Value.self, isText: false) }
}

extension JSONTextCoding: ProgramCoding {
    fileprivate static var programType: ProgramType { .json(Value.self, isText: true) }
}

extension TransformedCoding: ProgramCoding {
    fileprivate static var programType: ProgramType { .transformed(Transformer.self) }
}

extension OptionalCoding: ProgramCoding where Coding: ProgramCoding {
    fileprivate static var programType: ProgramType { Coding.programType }
}
