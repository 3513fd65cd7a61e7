import Ashlar
import AshlarSQLite
import Foundation
import ModelMerge
import SQLQuoting

/// A model for a database that has none, with the places of its parts in the tables.
package struct ReversedModel: Sendable {
    /// A property, and the expression for it over the row `s` of the table.
    struct Attribute: Sendable {
        var name: String
        var type: String
        var isOptional: Bool
        var defaultValue: String?
        var sql: String
    }

    struct Relationship: Sendable {
        var name: String
        var destination: String
        var inverse: String
        var isToMany: Bool
        var isOptional = true
        var deletionRule = "Nullify"
        /// The expression for the number of the destination, over the row `s`; nil for the other side.
        var sql: String?
        /// The query for the numbers of objects and of their destinations, of a table of pairs, in the order of both.
        var pairs: String?
    }

    struct Entity: Sendable {
        var name: String
        var table: String
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var constraints: [[String]] = []
        var indexes: [(name: String, isRTree: Bool, elements: [(property: String, isDescending: Bool)])] = []
        /// The expression for the object's number.
        var identifier: String
        /// The source of the rows, after `FROM`, with all tables that their expressions use.
        var source: String
        var rows: Int64
    }

    var entities: [Entity] = []
    /// The parts of the database that no model can describe, with the names of the tables.
    package var notRepresentable: [String] = []
    /// The notes for a person to check.
    package var notes: [String] = []

    /// The entities with their tables.
    package var tables: [(entity: String, table: String, rows: Int64)] { entities.map { ($0.name, $0.table, $0.rows) } }

    /// Whether the database has nothing for a model.
    package var isEmpty: Bool { entities.isEmpty }

    /// The model in Xcode's format.
    package var document: String {
        var root = ModelTree(
            "model",
            [
                .init("type", "com.apple.IDECoreDataModeler.DataModel"), .init("documentVersion", "1.0"),
                .init("sourceLanguage", "Swift"), .init("userDefinedModelVersionIdentifier", ""),
            ])
        root.children = entities.map(Self.tree)
        return ModelFile(
            head: "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n", root: root, tail: "\n"
        ).text
    }

    private static func tree(_ entity: Entity) -> ModelTree {
        var tree = ModelTree(
            "entity",
            [.init("name", entity.name), .init("representedClassName", entity.name), .init("syncable", "YES")])
        tree.children = entity.attributes.map { attribute in
            var element = ModelTree("attribute", [.init("name", attribute.name)])
            if attribute.isOptional { element["optional"] = "YES" }
            element["attributeType"] = attribute.type
            element["defaultValueString"] = attribute.defaultValue
            if !["String", "Binary", "Decimal", "UUID"].contains(attribute.type) {
                element["usesScalarValueType"] = "YES"
            }
            return element
        }
        tree.children += entity.relationships.map { relationship in
            var element = ModelTree("relationship", [.init("name", relationship.name)])
            if relationship.isOptional { element["optional"] = "YES" }
            if relationship.isToMany { element["toMany"] = "YES" } else { element["maxCount"] = "1" }
            element["deletionRule"] = relationship.deletionRule
            element["destinationEntity"] = relationship.destination
            element["inverseName"] = relationship.inverse
            element["inverseEntity"] = relationship.destination
            return element
        }
        for index in entity.indexes {
            tree.children.append(
                ModelTree(
                    "fetchIndex", [.init("name", index.name)],
                    children: index.elements.map { element in
                        ModelTree(
                            "fetchIndexElement",
                            [
                                .init("property", element.property), .init("type", index.isRTree ? "RTree" : "Binary"),
                                .init("order", element.isDescending ? "descending" : "ascending"),
                            ])
                    }))
        }
        if !entity.constraints.isEmpty {
            tree.children.append(
                ModelTree(
                    "uniquenessConstraints",
                    children: entity.constraints.map { names in
                        ModelTree(
                            "uniquenessConstraint",
                            children: names.map { ModelTree("constraint", [.init("value", $0)]) })
                    }))
        }
        return tree
    }
}
