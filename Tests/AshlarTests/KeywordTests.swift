import Ashlar
import Foundation
import Testing

/// Names that Swift, SQLite or the runtime use themselves can be names in a model.
@Suite struct KeywordTests {
    @Test("row 33: attributes") func attributes() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let order = Order(
            Type_: "Type", class: "class", context: "context", default: "default", description: "description",
            func: "func", group: "group", hasChanges: "hasChanges", hash: "hash", id: "id", index: "index",
            init_: "init",
            nil: "nil", order: "order", select: "select", self_: "self", values: "values", where: "where")
        order.isDeleted = "isDeleted"
        order.rowid = "rowid"
        order.table = Table(name: "table")
        order.join = Group(having: 7, limit: 8)
        order.table?.union.append(Index(where: "where"))
        context.insert(order)
        context.insert(Select(key: "key", value: "value"))
        context.insert(Date_(data: Data([1]), date: .distantPast))
        context.insert(Type_(Own_: "Own", Values_: "Values", name: "Type"))
        try context.save()

        let other = ModelContext(container)
        let read = try #require(try other.fetch(Order.where { $0.where == "where" && $0.`default` == "default" }).first)
        #expect(read.id == "id" && read.values == "values" && read.hasChanges == "hasChanges" && read.hash == "hash")
        #expect(read.description == "description" && read.context == "context" && read.init_ == "init")
        #expect(read.self_ == "self" && read.Type_ == "Type" && read.`class` == "class" && read.`nil` == "nil")
        #expect(read.isDeleted == "isDeleted" && read.rowid == "rowid" && read.`func` == "func")
        #expect(read.table?.name == "table" && read.join?.having == 7 && read.table?.union.first?.where == "where")
        #expect(try other.fetchCount(Order.where { $0.table.name == "table" && $0.join.limit > 7 }) == 1)
        #expect(try other.fetchCount(Order.order { $0.order.descending }.where { $0.group.hasPrefix("gr") }) == 1)
        #expect(try other.fetchCount(Select.where { $0.key == "key" && $0.value == "value" }) == 1)
        #expect(try other.fetch(Date_.all).first?.date == .distantPast)
        #expect(try other.fetch(Type_.where { $0.Values_ == "Values" }).first?.Own_ == "Own")
        #expect(try container.text("SELECT \"default\" || \"where\" || \"Type\" FROM \"Order\"") == "defaultwhereType")
        read.select = "changed"
        read.table = nil
        other.delete(read)
        other.rollback()
        #expect(read.select == "select" && read.table?.orders.first === read)
        try container.expectSound()
    }
}
