import DataModel
import RelationalSchema
import TestDatabase

func makeSchema(_ entities: Entity...) -> Schema { Schema(ModelGraph(Model(name: "Test", entities: entities))) }

func makeDatabase(_ schema: Schema) throws -> Database {
    let database = try Database(foreignKeys: true)
    try database.run(schema.statements)
    return database
}

extension Schema {
    func table(_ name: String) -> Table? { tables.first { $0.name == name } }
    func column(_ table: String, _ name: String) -> Column? { self.table(table)?.column(named: name) }
    func index(_ name: String) -> TableIndex? { indexes.first { $0.name == name } }
    func columnNames(_ table: String) -> [String] { self.table(table)?.columns.map(\.name) ?? [] }
    func storage(_ entity: String, _ relationship: String) -> RelationshipStorage? {
        graph.entity(named: entity).flatMap { storage(ofRelationshipNamed: relationship, in: $0) }
    }
}

func toOne(
    _ name: String, _ destination: String, inverse: String? = nil, optional: Bool = true,
    rule: Relationship.DeletionRule = .nullify
) -> Relationship {
    Relationship(
        name: name, destinationName: destination, inverseName: inverse, isOptional: optional, deletionRule: rule)
}

func toMany(
    _ name: String, _ destination: String, inverse: String? = nil, ordered: Bool = false,
    rule: Relationship.DeletionRule = .nullify
) -> Relationship {
    Relationship(
        name: name, destinationName: destination, inverseName: inverse, isToMany: true, isOrdered: ordered,
        deletionRule: rule)
}
