import DataModel
import RelationalSchema

/// Finds the indexes that are worth a trial for a statement's access to a table.
///
/// They need not be right: each is tried, and discarded if the planner does not use it.
struct CandidateFinder {
    /// A column that an index of the model can have.
    private struct Property {
        var name: String
        var entityName: String
        var depth: Int
        /// The type, if an R-tree can have it.
        var coordinate: AttributeType?
    }

    /// The most candidates for one statement. Only a statement with many terms has more.
    private static let limit = 80

    private let schema: Schema
    private let statistics: any TableStatistics
    private let tables: [String: Table]
    private let properties: [String: [String: Property]]

    init(_ schema: Schema, _ statistics: any TableStatistics) {
        self.schema = schema
        self.statistics = statistics
        tables = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
        var properties: [String: [String: Property]] = [:]
        for entity in schema.graph.model.entities {
            guard let storage = schema.storage(of: entity) else { continue }
            let depth = schema.graph.ancestors(of: entity).count
            for column in storage.columns where column.entityName == entity.name {
                guard let name = Self.propertyName(column) else { continue }
                properties[storage.tableName, default: [:]][column.name] = Property(
                    name: name, entityName: entity.name, depth: depth, coordinate: Self.coordinate(column))
            }
        }
        self.properties = properties
    }

    private static func propertyName(_ column: StoredColumn) -> String? {
        switch column.content {
        case .attribute(let attribute): column.leaf.map { $0.isPresence ? nil : $0.keyPath } ?? attribute.name
        case .toOne(let relationship): relationship.name
        case .order: nil
        }
    }

    private static func coordinate(_ column: StoredColumn) -> AttributeType? {
        guard case .attribute(let attribute) = column.content else { return nil }
        return column.isDerived || !attribute.type.isRTreeCoordinate ? nil : attribute.type
    }

    /// The candidates for a statement's access to its tables, the narrowest first.
    func candidates(for scans: [TableScan]) -> [ProposedIndex] {
        var result: [ProposedIndex] = []
        var seen: Set<ProposedIndex> = []
        for scan in scans {
            for candidate in candidates(for: scan) where seen.insert(candidate).inserted { result.append(candidate) }
        }
        let sorted = result.sorted { ($0.elements.count, $0.sortKey) < ($1.elements.count, $1.sortKey) }
        return Array(sorted.prefix(Self.limit))
    }

    private func candidates(for scan: TableScan) -> [ProposedIndex] {
        guard let table = tables[scan.tableName], let properties = properties[scan.tableName] else { return [] }
        func name(_ column: Int) -> String { table.columns[column].name }
        func isKnown(_ column: String) -> Bool { properties[column] != nil }
        let isOneRow = scan.terms.contains { $0.comparison == .equal && name($0.column) == ColumnName.identifier }
        if isOneRow || schema.hasRTree(for: scan) { return [] }
        let wholes = variants(scan, table, without: nil).map { ($0, ProposedIndex.Condition?.none) }
        let nullable = scan.terms.filter { $0.comparison == .isNull || $0.comparison == .isNotNull }
        let partials = nullable.flatMap { term in
            condition(term, table, properties).map { condition in
                variants(scan, table, without: term.column).map { ($0, Optional(condition)) }
            } ?? []
        }
        let indexes = (wholes + partials).compactMap { columns, condition in
            proposal(columns, condition, scan.tableName, properties)
        }
        return indexes + [rtree(scan, table, properties)].compactMap(\.self)
    }

    /// An R-tree over several numbers with ranges, because an ordinary index could serve only one range; or over the
    /// ends of spans, for a search for spans that overlap another.
    private func rtree(
        _ scan: TableScan, _ table: Table, _ properties: [String: Property]
    ) -> ProposedIndex? {
        var bounds: [(name: String, type: AttributeType, comparisons: Set<TableScan.Comparison>)] = []
        for term in scan.terms where term.comparison == .lower || term.comparison == .upper {
            let name = table.columns[term.column].name
            guard let type = properties[name]?.coordinate else { continue }
            if let position = bounds.firstIndex(where: { $0.name == name }) {
                bounds[position].comparisons.insert(term.comparison)
            } else {
                bounds.append((name, type, [term.comparison]))
            }
        }
        var names = bounds.filter { $0.comparisons.count == 2 }.map(\.name)
        if names.isEmpty, bounds.count == 2, bounds[0].type == bounds[1].type,
            bounds[0].comparisons != bounds[1].comparisons
        {
            names = bounds.map(\.name)
        }
        guard (2...5).contains(names.count) else { return nil }
        var proposal = proposal(names.map { ($0, false) }, nil, scan.tableName, properties)
        proposal?.kind = .rtree
        return proposal
    }

    private func condition(
        _ term: TableScan.Term, _ table: Table, _ properties: [String: Property]
    ) -> ProposedIndex.Condition? {
        let column = table.columns[term.column].name
        guard let property = properties[column] else { return nil }
        let isNull = term.comparison == .isNull
        return ProposedIndex.Condition(
            predicate: "\(property.name) \(isNull ? "==" : "!=") nil",
            sql: "\(SQLText.identifier(column)) \(isNull ? "IS" : "IS NOT") NULL", columnName: column)
    }

    /// Columns in the orders that could serve: those that are equal, then the order or one range.
    private func variants(_ scan: TableScan, _ table: Table, without excluded: Int?) -> [[(String, Bool)]] {
        func names(_ comparisons: Set<TableScan.Comparison>) -> [String] {
            var seen: Set<Int> = []
            return scan.terms.filter {
                comparisons.contains($0.comparison) && $0.column != excluded && seen.insert($0.column).inserted
            }.map { table.columns[$0.column].name }.filter { isIndexable($0, of: scan.tableName) }
        }
        let equal = names([.equal, .isNull])
        let ranges = names([.lower, .upper]).filter { !equal.contains($0) }
        let order = orders(scan, table).filter { term in !equal.contains { $0 == term.0 } }
        var tails: [[(String, Bool)]] = [[]]
        tails += ranges.map { [($0, false)] }
        if !order.isEmpty {
            tails.append(order)
            // Rows that the range excludes are skipped in the index, without reading the table.
            tails += ranges.filter { range in !order.contains { $0.0 == range } }.map { order + [($0, false)] }
        }
        var result: [[(String, Bool)]] = []
        for head in heads(equal, scan.tableName) {
            for tail in tails where !(head.isEmpty && tail.isEmpty) {
                result.append(head.map { ($0, false) } + tail)
            }
        }
        return result + covering(scan, table, equal, tails)
    }

    private func isIndexable(_ column: String, of table: String) -> Bool {
        properties[table]?[column] != nil
    }

    /// The columns of the order, with the directions that an index needs; none if one of them cannot be in an index.
    private func orders(_ scan: TableScan, _ table: Table) -> [(String, Bool)] {
        var order = scan.order.map { (table.columns[$0.column].name, $0.isDescending) }
        var isFlipped = order.allSatisfy { $0.1 }
        if let last = order.last, last.0 == ColumnName.identifier {
            // An index ends with the rowid, in ascending order.
            isFlipped = last.1
            order.removeLast()
        }
        guard order.allSatisfy({ isIndexable($0.0, of: scan.tableName) }) else { return [] }
        return isFlipped ? order.map { ($0.0, !$0.1) } : order
    }

    /// The columns that are compared for equality: all of them in each order, if they are few, and each alone.
    private func heads(_ columns: [String], _ table: String) -> [[String]] {
        // The most selective first, as far as nothing else decides.
        let sorted = columns.enumerated().sorted { first, second in
            let counts = [first, second].map { statistics.groupCount(of: table, [$0.element]) }
            return (-counts[0], first.offset) < (-counts[1], second.offset)
        }.map(\.element)
        if sorted.count < 2 { return [sorted] }
        let whole = sorted.count <= 3 ? Self.permutations(sorted) : [sorted]
        let pairs = sorted.count > 2 ? [Array(sorted.prefix(2))] : []
        return whole + pairs + sorted.map { [$0] }
    }

    private static func permutations(_ items: [String]) -> [[String]] {
        if items.count < 2 { return [items] }
        return items.indices.flatMap { index in
            var rest = items
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    /// Indexes that contain all columns that a statement uses, if these are few.
    private func covering(
        _ scan: TableScan, _ table: Table, _ equal: [String], _ tails: [[(String, Bool)]]
    ) -> [[(String, Bool)]] {
        guard let used = scan.usedColumns?.map({ table.columns[$0].name }).filter({ $0 != ColumnName.identifier }),
            used.count <= 4, used.allSatisfy({ isIndexable($0, of: scan.tableName) }),
            let head = heads(equal, scan.tableName).first
        else { return [] }
        return tails.compactMap { tail in
            let base = head.map { ($0, false) } + tail
            let rest = used.filter { name in !base.contains { $0.0 == name } }
            return rest.isEmpty || base.isEmpty ? nil : base + rest.map { ($0, false) }
        }
    }

    private func proposal(
        _ columns: [(String, Bool)], _ condition: ProposedIndex.Condition?, _ tableName: String,
        _ properties: [String: Property]
    ) -> ProposedIndex? {
        let known = columns.compactMap { column in properties[column.0].map { (column, $0) } }
        let owners = known.map(\.1) + [condition.flatMap { properties[$0.columnName] }].compactMap(\.self)
        guard known.count == columns.count, let deepest = owners.max(by: { $0.depth < $1.depth }),
            let entity = schema.graph.entity(named: deepest.entityName)
        else { return nil }
        // Properties of two branches of a hierarchy have no entity in common that could declare the index.
        let line = Set((schema.graph.ancestors(of: entity) + [entity]).map(\.name))
        guard owners.allSatisfy({ line.contains($0.entityName) }) else { return nil }
        return ProposedIndex(
            entityName: entity.name,
            elements: known.map {
                ProposedIndex.Element(propertyName: $0.1.name, isDescending: $0.0.1, columnName: $0.0.0)
            }, tableName: tableName, condition: condition)
    }
}

extension Schema {
    /// Returns whether the runtime can find the rows with an R-tree, which it does by itself if that is the fastest
    /// way: one dimension is bounded, and no matching row can lack another one.
    func hasRTree(for scan: TableScan) -> Bool {
        guard let table = tables.first(where: { $0.name == scan.tableName }) else { return false }
        let bounded = Set(
            scan.terms.filter { [.lower, .upper, .equal].contains($0.comparison) }.map { table.columns[$0.column].name }
        )
        return rtrees.contains { rtree in
            rtree.tableName == scan.tableName && rtree.columnNames.contains { bounded.contains($0) }
                && rtree.columnNames.allSatisfy { bounded.contains($0) || table.column(named: $0)?.isRequired == true }
        }
    }
}
