import AshlarSQLite
import StoreDescription

/// Objects as those of JSON, one in a line.
extension DumpedRows {
    func writeJSON(_ row: Statement, _ entity: DumpedEntity, to text: inout TextBytes) throws {
        text.write(verbatim: entity.jsonHead)
        text.write(row.integer(0))
        for field in entity.jsonFields {
            text.write(verbatim: field.jsonKey)
            switch field.content {
            case .value(let column, let type): try write(column, type, of: row, to: &text)
            case .composite(let leaves): text.write(json: try composite(leaves, row))
            case .one(let column, let destination, let isByNumber, let order):
                if isByNumber {
                    try write(column, .integer64, of: row, to: &text)
                } else {
                    text.write(json: try reference(SQLiteValue(column, of: row.handle), to: destination))
                }
                if let order, let position = row.int64(order) {
                    text.write(verbatim: field.jsonOrderKey)
                    text.write(position)
                }
            case .many(let pairs, let destination, let isByNumber):
                text.write("[")
                for (index, number) in try references(of: row, pairs).enumerated() {
                    if index > 0 { text.write(", ") }
                    if isByNumber {
                        text.write(number)
                    } else {
                        text.write(json: try reference(.integer(number), to: destination))
                    }
                }
                text.write("]")
            }
        }
        text.write("}")
    }

    private func composite(_ leaves: [DumpedField.Leaf], _ row: Statement) throws -> ExchangedValue {
        var result: [(String, ExchangedValue)] = []
        for leaf in leaves {
            Self.set(
                try value(leaf.column, leaf.attribute.type, of: row), leaf.attribute, ArraySlice(leaf.path), in: &result
            )
        }
        return result.isEmpty ? ExchangedValue.null : result[0].1
    }

    /// Puts a value at its place within composites. An absent composite is null, whatever its columns contain.
    private static func set(
        _ value: ExchangedValue, _ attribute: StoredEntity.Attribute, _ path: ArraySlice<String>,
        in object: inout [(String, ExchangedValue)]
    ) {
        guard let name = path.first else { return }
        let position = object.firstIndex { $0.0 == name }
        if path.count == 1 {
            // The flag that shows whether a composite is present.
            let isThere = attribute.type == nil && value != .null
            let new: ExchangedValue = attribute.type == nil ? (isThere ? .object([]) : .null) : value
            if let position {
                if attribute.type == nil, !isThere { object[position].1 = .null }
            } else {
                object.append((name, new))
            }
            return
        }
        var inner: [(String, ExchangedValue)] = []
        if let position {
            guard case .object(let known) = object[position].1 else { return }
            inner = known
        }
        set(value, attribute, path.dropFirst(), in: &inner)
        if let position { object[position].1 = .object(inner) } else { object.append((name, .object(inner))) }
    }
}
