/// A type of the program's own that decides what a column holds, for who has to make legal values up.
package enum ProgramType {
    /// The column holds the raw value of the type, and nothing but the type's own raw values.
    case rawValue(any RawRepresentable.Type)
    /// The column holds JSON of the type, as bytes or as text.
    case json(any Codable.Type, isText: Bool)
    /// The column holds the bytes that a transformer makes.
    case transformed(any AttributeTransformer.Type)
}

extension EntityDescription {
    /// The types of the program's own that decide what columns hold, by the key paths of the attributes. Those of the
    /// entities above are there too.
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
