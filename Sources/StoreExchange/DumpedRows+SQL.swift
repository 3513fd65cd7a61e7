import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting

/// Objects as statements for the tables of a store.
extension DumpedRows {
    func statements(_ values: [SQLiteValue], _ fields: [ExchangedVersion.Field]) throws -> String {
        let names = columns.map(SQLQuotation.identifier).joined(separator: ", ")
        var literals: [String] = []
        for (name, value) in zip(columns, values) {
            guard case .blob(let bytes) = value, let url = file.externalFile(of: bytes) else {
                literals.append(Self.literal(value))
                continue
            }
            try Self.requireRead(bytes, url)
            switch dump.largeValues {
            case .inside:
                let content = try Data(contentsOf: url, options: .alwaysMapped)
                let tag = TaggedBlob.isTagged(content) ? Data(TaggedBlob.inlineTag) : Data()
                literals.append(Self.literal(.blob(tag + content)))
            case .beside:
                throw ExchangeError(
                    "A statement cannot read a file: write the large values of \(name) inside, or write JSON.")
            }
        }
        var text =
            "INSERT INTO \(SQLQuotation.identifier(table)) (\(names)) VALUES (\(literals.joined(separator: ", ")));\n"
        for case .many(let relationship, let table, let own, let other, let order) in fields {
            let numbers = try references(of: values[0], relationship, table, own, other, order)
            for (position, number) in numbers.enumerated() {
                let columns = [own, other] + (order.map { [$0] } ?? [])
                // The other side may have said it before, and does not know this side's order.
                let action =
                    order.map(SQLQuotation.identifier).map { "UPDATE SET \($0) = excluded.\($0)" } ?? "NOTHING"
                let list = [Self.literal(values[0]), Self.literal(number)] + (order == nil ? [] : ["\(position)"])
                text +=
                    "INSERT INTO \(SQLQuotation.identifier(table)) (\(columns.map(SQLQuotation.identifier).joined(separator: ", ")))"
                    + " VALUES (\(list.joined(separator: ", "))) ON CONFLICT (\(columns.prefix(2).map(SQLQuotation.identifier).joined(separator: ", "))) DO \(action);\n"
            }
        }
        return text
    }

    static func literal(_ value: SQLiteValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number):
            number.isFinite ? "\(number)" : number.isNaN ? "NULL" : number < 0 ? "-9e999" : "9e999"
        case .text(let text): SQLQuotation.literal(text)
        case .blob(let bytes): "x'" + bytes.map { String(format: "%02x", $0) }.joined() + "'"
        }
    }
}
