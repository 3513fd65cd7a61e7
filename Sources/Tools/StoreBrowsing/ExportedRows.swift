import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting
import StoreExchange

/// A file of objects.
@_spi(Studio) public struct ExportedRows: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case csv, json
    }

    public var bytes: [UInt8]
}

extension StoreBrowser {
    /// The largest file that is made.
    static let exportLimit = 256 << 20

    /// The objects of a list with all their properties, in the form of `ashlar dump`, which `ashlar load` reads.
    ///
    /// All objects of the list are written, not only those of the requested page.
    ///
    /// - Throws: ``BrowsingError``.
    public func export(
        _ request: RowRequest, as format: ExportedRows.Format
    ) throws(BrowsingError) -> ExportedRows {
        let place = try objectsURL()
        do {
            let file = try UnchangedFile(place, copyingInto: FileManager.default.temporaryDirectory)
            let (version, identifiers) = try exported(request)
            let dump = try StoreDump(
                ExchangedVersion(version.storedEntities), as: format == .csv ? .csv : .json, largeValues: .inside)
            var bytes: [UInt8] = []
            try dump.run(
                [StoreDump.Selection(entity: request.subject.name, identifiers: identifiers)], from: file
            ) { part in
                bytes += part
                if bytes.count > Self.exportLimit {
                    throw BrowsingError(
                        .refused,
                        "The objects take more than \(Self.exportLimit >> 20) MB. Filter the list, or use `ashlar dump`."
                    )
                }
            }
            return ExportedRows(bytes: bytes)
        } catch let error as ExchangeError {
            throw BrowsingError(.invalid, error.description)
        } catch {
            throw BrowsingError.of(error)
        }
    }

    private func exported(_ request: RowRequest) throws(BrowsingError) -> (BrowsedVersion, BoundStatement) {
        try readObjects(doing: "reading rows of \(request.subject.name)") { connection in
            guard let version = try version(connection), case .entity(let name) = request.subject else {
                throw BrowsingError(.missing, "There is no model to export objects by.")
            }
            let source = try RowSource(name, version, request)
            let order = try source.order(by: request.sort, isDescending: request.isDescending)
            let text =
                "SELECT \(RowSource.column("id$")) FROM \(source.text)"
                + (source.condition.map { " WHERE \($0)" } ?? "") + " ORDER BY \(order.text)"
            return (version, BoundStatement(text: text, values: source.values))
        }
    }
}

extension StoreBrowser {
    /// The versions of rows as they are now, by the numbers of their objects. Objects that were deleted are missing.
    ///
    /// - Parameter numbers: The objects; at most the first 1000 are read.
    /// - Throws: ``BrowsingError``.
    public func versions(of entity: String, _ numbers: [Int64]) throws(BrowsingError) -> [Int64: Int64] {
        try readObjects(doing: "looking for changes of \(entity)") { connection in
            guard let version = try version(connection) else {
                throw BrowsingError(.missing, "There is no model to show objects by.")
            }
            _ = try version.entity(entity)
            let numbers = numbers.prefix(1000)
            let places = numbers.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
            let rows = try connection.rows(
                "SELECT \"id$\", \"version$\" FROM main.\(SQLQuotation.identifier(version.table(of: entity))) "
                    + "WHERE \"id$\" IN (\(places))", numbers.map { .integer($0) })
            var result: [Int64: Int64] = [:]
            for row in rows {
                if case .integer(let number) = row[0], case .integer(let version) = row[1] { result[number] = version }
            }
            return result
        }
    }
}
