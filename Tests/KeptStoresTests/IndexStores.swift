import Ashlar
import Foundation
import Testing

/// An R-tree.
enum AtlasStore: KeptStore {
    static var model: any ManagedObjectModel.Type { AtlasModel.self }

    static func fill(_ context: ModelContext) throws {
        let spots = [("Berlin", 52.5, 13.4), ("Lima", -12.05, -77.05), ("Rome", 41.9, 12.5), ("Oslo", 59.9, 10.75)]
        for (name, latitude, longitude) in spots {
            let spot = Spot(name: name)
            (spot.latitude, spot.longitude) = (latitude, longitude)
            context.insert(spot)
        }
    }

    private static func names(_ context: ModelContext) throws -> [String] {
        try context.fetch(Spot.where { $0.byPlace(latitude: 40...55, longitude: 10...15) }).map(\.name).sorted()
    }

    static func check(_ context: ModelContext) throws {
        #expect(try context.fetchCount(Spot.all) == 4)
        #expect(try names(context) == ["Berlin", "Rome"])
        #expect(
            try context.fetch(Spot.where { $0.byPlace(latitude: -90...0, longitude: -180...180) }).map(\.longitude) == [
                -77.05
            ])
    }

    static func edit(_ context: ModelContext) throws {
        for spot in try context.fetch(Spot.all) {
            if spot.name == "Oslo" { (spot.latitude, spot.longitude) = (48.1, 11.6) }
            if spot.name == "Rome" { context.delete(spot) }
        }
    }

    static func checkEdited(_ context: ModelContext) throws { #expect(try names(context) == ["Berlin", "Oslo"]) }
}

/// A full-text index with weights.
enum PressStore: KeptStore {
    static var model: any ManagedObjectModel.Type { PressModel.self }

    static func fill(_ context: ModelContext) throws {
        for (title, text) in [
            ("Great Wall", "Stones, and a café."), ("Coffee", "A great café in Überlingen."), ("Silence", nil),
        ] {
            let essay = Essay(title: title)
            essay.text = text
            context.insert(essay)
        }
    }

    private static func titles(_ text: String, _ context: ModelContext) throws -> [String] {
        let query = FullTextQuery(text)
        return try context.fetch(
            Essay.where { $0.search.matches(query) }.order { $0.search.rank(of: query).ascending }
        ).map(\.title)
    }

    static func check(_ context: ModelContext) throws {
        #expect(try context.fetchCount(Essay.all) == 3)
        #expect(try titles("great", context) == ["Great Wall", "Coffee"])
        #expect(try titles("CAFE", context).sorted() == ["Coffee", "Great Wall"])
        #expect(try titles("uberlingen", context) == ["Coffee"])
        #expect(try titles("silence", context) == ["Silence"])
        #expect(try titles("tea", context) == [])
    }

    static func edit(_ context: ModelContext) throws {
        for essay in try context.fetch(Essay.all) {
            if essay.title == "Silence" { essay.text = "A cup of tea." }
            if essay.title == "Coffee" { context.delete(essay) }
        }
    }

    static func checkEdited(_ context: ModelContext) throws {
        #expect(try titles("tea", context) == ["Silence"])
        #expect(try titles("cafe", context) == ["Great Wall"])
    }
}

/// Uniqueness constraints, of one attribute and of two.
enum MembersStore: KeptStore {
    static var model: any ManagedObjectModel.Type { MembersModel.self }

    static func fill(_ context: ModelContext) throws {
        context.insert(Member(email: "ada@example.org", first: "Ada", last: "L", visits: 3))
        context.insert(Member(email: "bob@example.org", first: "Bob", last: "L"))
    }

    static func check(_ context: ModelContext) throws {
        let members = try context.fetch(Member.order { $0.email.ascending })
        #expect(members.map(\.email) == ["ada@example.org", "bob@example.org"])
        #expect(members.map(\.first) == ["Ada", "Bob"] && members.map(\.last) == ["L", "L"])
        #expect(members.map(\.visits) == [3, 0])
        for (email, first) in [("bob@example.org", "Other"), ("other@example.org", "Bob")] {
            let other = ModelContext(context.container)
            other.insert(Member(email: email, first: first, last: "L"))
            #expect(throws: SaveError.self) { try other.save() }
        }
    }

    static func edit(_ context: ModelContext) throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.insert(Member(email: "bob@example.org", first: "Robert", last: "L", visits: 7))
    }

    static func checkEdited(_ context: ModelContext) throws {
        let members = try context.fetch(Member.order { $0.email.ascending })
        #expect(members.map(\.first) == ["Ada", "Robert"] && members.map(\.visits) == [3, 7])
    }
}
