import AshlarSQLite

/// Objects as lines of fields between commas.
extension DumpedRows {
    /// Writes the names of the fields.
    func writeHeader(to text: inout TextBytes) {
        text.write(csv: ExchangedVersion.entityKey)
        text.write(",")
        text.write(csv: ExchangedVersion.numberKey)
        for field in allFields {
            text.write(",")
            text.write(csv: field.name)
            if case .one(let relationship, _, _?) = field {
                text.write(",")
                text.write(csv: relationship.name + ExchangedVersion.orderSuffix)
            }
        }
        text.write("\n")
    }

    func writeLine(_ row: Statement, _ entity: DumpedEntity, to text: inout TextBytes) throws {
        text.write(csv: entity.name)
        text.write(",")
        text.write(row.integer(0))
        for (field, any) in zip(entity.lineFields, allFields) {
            text.write(",")
            guard let field else {
                if case .one(_, _, _?) = any { text.write(",") }
                continue
            }
            switch field.content {
            case .value(let column, let type): try write(column, type, of: row, to: &text)
            case .composite: break
            case .one(let column, let destination, let isByNumber, let order):
                if isByNumber {
                    try write(column, .integer64, of: row, to: &text)
                } else {
                    text.write(csv: try reference(SQLiteValue(column, of: row.handle), to: destination))
                }
                if let order {
                    text.write(",")
                    if let position = row.int64(order) { text.write(position) }
                }
            case .many(let pairs, let destination, _):
                let list = try references(of: row, pairs).map { try reference(.integer($0), to: destination) }
                text.write(csv: .list(list))
            }
        }
        text.write("\n")
    }
}
