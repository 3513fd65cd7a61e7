import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting

/// Objects as statements for the tables of a store.
extension DumpedRows {
    func writeStatements(_ row: Statement, _ entity: DumpedEntity, to text: inout TextBytes) throws {
        text.write(verbatim: statementHead)
        for (index, name) in columns.enumerated() {
            if index > 0 { text.write(", ") }
            let value = row.lent(Int32(index))
            guard case .blob(let bytes) = value, let start = bytes.baseAddress,
                TaggedBlob.isTagged(start, bytes.count), let url = file.externalFile(of: Data(bytes))
            else {
                text.write(sql: value)
                continue
            }
            try Self.requireRead(Data(bytes), url)
            guard case .inside = dump.largeValues else {
                throw ExchangeError(
                    "A statement cannot read a file: write the large values of \(name) inside, or write JSON.")
            }
            let content = try Data(contentsOf: url, options: .alwaysMapped)
            if TaggedBlob.isTagged(content) {
                (Data(TaggedBlob.inlineTag) + content).withUnsafeBytes { text.write(sql: .blob($0)) }
            } else {
                content.withUnsafeBytes { text.write(sql: .blob($0)) }
            }
        }
        text.write(");\n")
        for pairs in entity.pairs {
            for (position, number) in try references(of: row, pairs).enumerated() {
                text.write(verbatim: pairs.statementHead)
                text.write(row.integer(0))
                text.write(", ")
                text.write(number)
                if pairs.order != nil {
                    text.write(", ")
                    text.write(Int64(position + 1) * OrderKeys.distance)
                }
                text.write(verbatim: pairs.statementTail)
            }
        }
    }
}
