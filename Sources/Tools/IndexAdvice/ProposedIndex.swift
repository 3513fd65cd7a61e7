import DataModel
import RelationalSchema

/// An index that a model could declare.
public struct ProposedIndex: Sendable, Hashable {
    /// One property of it.
    public struct Element: Sendable, Hashable {
        /// The name of an attribute or a relationship, or the key path of a leaf of a composite.
        public var propertyName: String
        public var isDescending: Bool
        var columnName: String
    }

    /// The rows that a partial index has.
    struct Condition: Hashable {
        /// In the language of predicates.
        var predicate: String
        /// In SQL.
        var sql: String
        /// The column that it is about.
        var columnName: String
    }

    /// The entity that declares it: the deepest that declares one of the properties, that of the condition included.
    public var entityName: String
    public var elements: [Element]
    /// The structure of the index: ``FetchIndex/Kind/binary`` or ``FetchIndex/Kind/rtree``.
    public var kind = FetchIndex.Kind.binary
    var tableName: String
    var condition: Condition?

    /// The predicate of a partial index; nil for all rows.
    public var partialIndexPredicate: String? { condition?.predicate }

    /// The index as the schema would have it; nil for an R-tree.
    func tableIndex(named name: String) -> TableIndex? {
        if kind == .rtree { return nil }
        return TableIndex(
            name: name, tableName: tableName,
            elements: elements.map { TableIndex.Element(columnName: $0.columnName, isDescending: $0.isDescending) },
            condition: condition?.sql)
    }

    /// The R-tree as the schema would have it; nil for another index.
    func rtree(named name: String) -> RTree? {
        if kind != .rtree { return nil }
        return RTree(name: name, tableName: tableName, columnNames: elements.map(\.columnName))
    }

    /// A text that orders proposals, the same on every machine.
    var sortKey: String {
        "\(tableName) " + (kind == .rtree ? "RTREE " : "")
            + elements.map { $0.columnName + ($0.isDescending ? " DESC" : "") }.joined(separator: ", ")
            + (condition.map { " WHERE \($0.sql)" } ?? "")
    }
}

extension ProposedIndex {
    /// The element of the model, with a name that no other index of the entity has.
    func newElement(named name: String) -> Diagnostic.NewElement {
        var attributes = [Diagnostic.NewElement.Attribute(name: "name", value: name)]
        if let condition { attributes.append(.init(name: "partialIndexPredicate", value: condition.predicate)) }
        let children = elements.map { element in
            Diagnostic.NewElement(
                "fetchIndexElement",
                [
                    "property": element.propertyName, "type": kind == .rtree ? "RTree" : "Binary",
                    "order": element.isDescending ? "descending" : "ascending",
                ])
        }
        return Diagnostic.NewElement("fetchIndex", attributes, children: children)
    }

    /// `byAuthorAndDate`, with a number if the name is taken.
    func name(avoiding taken: Set<String>) -> String {
        let words = elements.map { element in
            let plain = element.propertyName.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            return plain.joined()
        }
        let name = "by" + words.joined(separator: "And")
        var result = name
        var number = 1
        while taken.contains(SQLText.folded(result)) {
            number += 1
            result = "\(name)\(number)"
        }
        return result
    }
}
