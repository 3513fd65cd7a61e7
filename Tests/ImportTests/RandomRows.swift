import Foundation
import RandomNumbers
import TestDatabase

/// Fills a store of Core Data's with random rows of all its tables.
struct RandomRows {
    let tables: StoredTables
    let url: URL
    /// The folder of values in files.
    let files: URL
    var random: SeededGenerator
    private var keys: [String: [(key: Int, entity: String, number: Int)]] = [:]

    init(_ tables: StoredTables, _ url: URL, random: SeededGenerator) {
        (self.tables, self.url, self.random) = (tables, url, random)
        files = url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
    }

    mutating func fill() throws {
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let database = try Database(url)
        try database.run("BEGIN")
        // Referenced rows get their numbers first.
        for table in tables.tables {
            var key = 0
            var rows: [(key: Int, entity: String, number: Int)] = []
            for _ in 0..<random.number(0..<25) {
                key += random.number(1..<4)
                let (number, name) = table.entities[random.number(0..<table.entities.count)]
                rows.append((key, name, number))
            }
            keys[table.name] = rows
        }
        for table in tables.tables {
            for row in keys[table.name] ?? [] { try database.run(try insertion(of: row, into: table)) }
            if let relationship = table.oneToOne { try database.run(try match(table.name, relationship)) }
        }
        for pairs in tables.pairs { try database.run(insertions(of: pairs)) }
        try database.run(tables.last)
        try database.run("COMMIT")
    }

    private mutating func insertion(
        of row: (key: Int, entity: String, number: Int), into table: StoredTables.Table
    ) throws -> String {
        var names = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values = ["\(row.key)", "\(row.number)", "\(random.number(1..<10))"]
        var references: [String: String] = [:]
        for column in table.columns where column.entities?.contains(row.entity) ?? true {
            if !column.isRequired, random.oneIn(4) { continue }
            let value: String?
            switch column.kind {
            case .reference(let target, let entities):
                value = keys[target]?.filter { entities?.contains($0.entity) ?? true }.randomElement(using: &random).map
                {
                    "\($0.key)"
                }
                references[column.name] = value
            case .position(let reference): value = references[reference].map { _ in "\(random.number(0..<9) * 1024)" }
            case .computed: value = nil
            default: value = try self.value(column.kind)
            }
            guard let value else { continue }
            names.append(column.name)
            values.append(value)
        }
        return "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    }

    // MARK: Values

    /// A value as SQL, at the border of its type now and then.
    private mutating func value(_ kind: StoredTables.Kind) throws -> String {
        switch kind {
        case .integer(let range):
            if random.oneIn(4) { return "\(range.lowerBound)" }
            if random.oneIn(4) { return "\(range.upperBound)" }
            return "\(Int64.random(in: range, using: &random))"
        case .real:
            let borders = [
                "9e999", "-9e999", "(9e999 + -9e999)", "-0.0", "5e-324", "1.7976931348623157e308", "0.1", "7",
            ]
            if random.oneIn(3) { return borders[random.number(0..<borders.count)] }
            return "\(Double.random(in: -1e9...1e9, using: &random))"
        case .decimal:
            let borders = ["0", "100", "-0.01", "3.3333333332999993", "1e20", "1e-20", "9007199254740993"]
            if random.oneIn(2) { return borders[random.number(0..<borders.count)] }
            return "\(Double.random(in: -1e6...1e6, using: &random))"
        case .text: return text()
        case .uri: return "'https://example.org/\(random.number(0..<1000))?a=%20'"
        case .uuid: return MuseumStore.literal(data(16))
        case .data: return MuseumStore.literal(data(random.number(0..<40)))
        case .external:
            if random.oneIn(2) { return MuseumStore.literal(Data([1]) + data(random.number(0..<40))) }
            let name = UUID(uuid: data(16).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }).uuidString
            try data(random.number(0..<500)).write(to: files.appendingPathComponent(name))
            return MuseumStore.file(name)
        case .reference, .position, .computed: return "NULL"
        }
    }

    private mutating func text() -> String {
        let letters = ["a", "Z", "'", "\"", "é", "é", "🏛", "\n", "|", "%", "\u{202E}", "Ω", " "]
        let text = (0..<random.number(0..<12)).map { _ in letters[random.number(0..<letters.count)] }.joined()
        return "'\(text.replacingOccurrences(of: "'", with: "''"))'"
    }

    private mutating func data(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    // MARK: Relationships

    /// Makes objects refer to each other, each to one without another reference to it.
    private mutating func match(_ table: String, _ relationship: StoredTables.OneToOne) throws -> [String] {
        let owners = (keys[table] ?? []).filter { relationship.entities.contains($0.entity) }.shuffled(using: &random)
        let others = (keys[table] ?? []).filter { relationship.backEntities.contains($0.entity) }.shuffled(
            using: &random)
        return zip(owners, others).dropLast(random.number(0..<3)).flatMap { owner, other in
            let number = relationship.backNumber.map { ", \($0) = \(owner.number)" } ?? ""
            return [
                "UPDATE \(table) SET \(relationship.column) = \(other.key) WHERE Z_PK = \(owner.key)",
                "UPDATE \(table) SET \(relationship.back) = \(owner.key)\(number) WHERE Z_PK = \(other.key)",
            ]
        }
    }

    private mutating func insertions(of pairs: StoredTables.Pairs) -> [String] {
        guard let owners = keys[pairs.own.table], let others = keys[pairs.other.table], !owners.isEmpty else {
            return []
        }
        var statements: [String] = []
        for other in others {
            for owner in owners.shuffled(using: &random).prefix(pairs.isColumn ? 1 : 4) where !random.oneIn(3) {
                let position = random.oneIn(5) ? "NULL" : "\(random.number(0..<9) * 1024)"
                if pairs.isColumn {
                    let order = pairs.order.map { ", \($0) = \(position)" } ?? ""
                    statements.append(
                        "UPDATE \(pairs.name) SET \(pairs.own.column) = \(owner.key)\(order) WHERE Z_PK = \(other.key)")
                } else {
                    statements.append(
                        """
                        INSERT INTO \(pairs.name) (\(pairs.own.column), \(pairs.other.column)\(pairs.order.map { ", \($0)" } ?? ""))
                        VALUES (\(owner.key), \(other.key)\(pairs.order == nil ? "" : ", \(position)"))
                        """)
                }
            }
        }
        return statements
    }
}
