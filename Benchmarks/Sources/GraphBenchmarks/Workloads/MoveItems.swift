import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Takes a thousand members of an ordered relationship by their places and moves each to another place, and saves.
struct MoveItems: Workload {
    static let name = "move list items"
    static let unit = "1,000 moves"

    private static let select =
        #"SELECT "id$", "title", "list$order" FROM "Item" WHERE "list" = 1 ORDER BY "list$order""#
    private let stores: GraphStores
    private let template: URL
    private let moves: [(from: Int, to: Int)]

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.list()
        var random = SplitMix(state: 5)
        moves = (0..<1000).map { _ in
            (.random(in: 0..<stores.rows, using: &random), .random(in: 0..<stores.rows, using: &random))
        }
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let proof = #"SELECT "id$", "version$", "number" FROM "Item" ORDER BY "list$order""#
        let versions = #"SELECT "id$", "version$" FROM "ReadingList""#
        try stores.withCopy(of: template, round, [proof, versions]) { url in
            if contestant == .swiftLoop {
                let connection = try HandWrittenConnection(url)
                var items: [LoopMember] = []
                try connection.prepare(Self.select).each {
                    items.append(LoopMember(id: $0.integer(0), title: $0.text(1), key: $0.integer(2)))
                }
                let update = try connection.prepare(#"UPDATE "Item" SET "list$order" = ?1 WHERE "id$" = ?2"#)
                var list = LoopList(items)
                items = []
                try round.measure {
                    var length = 0
                    for (from, to) in moves {
                        length += list.members[from].title.utf8.count
                        list.move(from: from, to: to)
                    }
                    guard length > 0 else { return }
                    try connection.transaction {
                        for (id, item) in list.changed {
                            try update.run {
                                $0.bind(item.key, 1)
                                $0.bind(id, 2)
                            }
                        }
                        try connection.countUp("ReadingList", [1])
                    }
                }
            } else {
                let context = ModelContext(try stores.container(url))
                guard let list = try context.fetchFirst(ReadingList.all) else { return }
                // Held, as the loop holds its own; a count alone would read no items.
                let items = Array(list.items)
                defer { withExtendedLifetime(items) {} }
                try round.measure {
                    var length = 0
                    for (from, to) in moves {
                        let item = list.items[from]
                        length += item.title.utf8.count
                        list.items.move(item, to: to)
                    }
                    guard length > 0 else { return }
                    try context.save()
                }
            }
        }
    }
}
