import AshlarSQLite

/// A value of a dictionary: the expression to fetch, and the conversion of its result to the property's type.
struct DictionaryValue: Sendable {
    let expression: SQLExpression
    /// The type of an aggregate of the value.
    private let type: AttributeType?
    private let decode: @Sendable (Row, Int32) throws(RowError) -> Any

    /// Returns the value in a row; nil for NULL.
    func read(_ row: Row, _ column: Int32) throws(RowError) -> Any? {
        row.isNull(column) ? nil : try decode(row, column)
    }
}

extension DictionaryValue {
    /// Creates a value whose type is known at compile time.
    init<Value>(_ expression: SQLExpression, _ coding: ColumnCoding<Value>) {
        self.init(expression: expression, type: nil) { row, column throws(RowError) in
            let value = try coding.decode(row, column)
            return flattened(value) ?? value
        }
    }

    /// Creates an attribute at the end of a path.
    init(_ column: Int, of entity: EntityDescription, at path: ColumnPath) {
        let description = entity.columns[column]
        let reference = ColumnReference(
            path: path, column: column, name: description.name, isDecimal: description.isDecimal)
        let type = description.type ?? .binary
        // The parts of a composite have no coding of their own: the slot belongs to the whole composite.
        let isLeaf = description.property.utf8.contains(UInt8(ascii: "."))
        if !isLeaf, let coding = entity.layout.column(column)?.0.pointee.slot.coding {
            self.init(expression: .column(reference), type: type, decode: Self.decoder(of: coding))
        } else {
            self.init(expression: .column(reference), type: type, decode: Self.decoder(of: type))
        }
    }

    /// Creates the identifier of the object at the end of a path.
    init(identifierOf entity: EntityDescription, at path: ColumnPath) {
        let number = entity.number
        self.init(expression: .column(path.identifier), type: .integer64) { row, column throws(RowError) in
            guard let identifier = try row.identifier(column, number) else {
                throw RowError(column: column, expected: "an identifier")
            }
            return identifier
        }
    }

    /// Returns an aggregate of the value.
    func made(by aggregate: AggregateFunction) -> DictionaryValue {
        let expression = SQLExpression.groupAggregate(aggregate, expression, isDistinct: false)
        func value(_ decode: @escaping @Sendable (Row, Int32) throws(RowError) -> Any) -> DictionaryValue {
            DictionaryValue(expression: expression, type: type, decode: decode)
        }
        switch aggregate {
        case .count: return DictionaryValue(expression, ColumnCoding<Int>.int)
        case .minimum, .maximum: return value(decode)
        case .sum, .average:
            switch type {
            case .decimal: return value(Self.decoder(of: .decimal))
            case .double, .float, .date: return value(Self.decoder(of: .double))
            default: return value(Self.decoder(of: aggregate == .sum ? .integer64 : .double))
            }
        }
    }

    /// Returns the decoder of values that only their coding can read.
    private static func decoder(
        of coding: any ValueCoding.Type
    ) -> @Sendable (Row, Int32) throws(RowError) -> Any {
        func decoder<Coding: ValueCoding>(_ coding: Coding.Type) -> @Sendable (Row, Int32) throws(RowError) -> Any {
            { row, column throws(RowError) in
                let value = try coding.decode(row, column)
                return flattened(value) ?? value
            }
        }
        return decoder(coding)
    }

    private static func decoder(of type: AttributeType) -> @Sendable (Row, Int32) throws(RowError) -> Any {
        switch type {
        case .boolean: { row, column throws(RowError) in try row.bool(column) }
        case .integer16: { row, column throws(RowError) in try row.integer(column) as Int16 }
        case .integer32: { row, column throws(RowError) in try row.integer(column) as Int32 }
        case .integer64: { row, column throws(RowError) in try row.computedInteger(column) }
        case .double: { row, column throws(RowError) in try row.double(column) }
        case .float: { row, column throws(RowError) in try row.float(column) }
        case .date: { row, column throws(RowError) in try row.date(column) }
        case .string: { row, column throws(RowError) in try row.string(column) }
        case .uuid: { row, column throws(RowError) in try row.uuid(column) }
        case .uri: { row, column throws(RowError) in try row.url(column) }
        case .decimal: { row, column throws(RowError) in try row.decimal(column) }
        case .binary, .transformable: { row, column throws(RowError) in try row.data(column) }
        }
    }
}
