import Ashlar
import Foundation

/// A place where many photos are taken.
struct City: Sendable {
    var name: String
    var latitude: Double
    var longitude: Double

    static let all = [
        City(name: "Berlin", latitude: 52.52, longitude: 13.40),
        City(name: "Buenos Aires", latitude: -34.60, longitude: -58.38),
        City(name: "Cairo", latitude: 30.04, longitude: 31.24),
        City(name: "Dakar", latitude: 14.72, longitude: -17.47),
        City(name: "Hanoi", latitude: 21.03, longitude: 105.85),
        City(name: "Lima", latitude: -12.05, longitude: -77.04),
        City(name: "Melbourne", latitude: -37.81, longitude: 144.96),
        City(name: "Mumbai", latitude: 19.08, longitude: 72.88),
        City(name: "Nairobi", latitude: -1.29, longitude: 36.82),
        City(name: "Osaka", latitude: 34.69, longitude: 135.50),
        City(name: "Tashkent", latitude: 41.30, longitude: 69.24),
        City(name: "Toronto", latitude: 43.65, longitude: -79.38),
    ]
}

extension PhotoFeed {
    /// The posts in the part of the map on the screen, with the R-tree index and without it.
    func showMap() throws {
        Screen.title("Posts in a city")
        let city = City.all[0]
        let latitude = (city.latitude - 0.06)...(city.latitude + 0.06)
        let longitude = (city.longitude - 0.1)...(city.longitude + 0.1)
        let posts = Post.where { $0.latitude.isIn(latitude) && $0.longitude.isIn(longitude) }
            .order { $0.timestamp.descending }
        let all = try context.fetchCount(Post.all)
        let found = try context.fetchCount(posts)
        print("\(found) of \(all) posts are in \(city.name), 13 by 13 km. The best of three runs:")
        print(Self.row("", "with the R-tree", "without it", ""))
        // A new context each time, so that the objects are created each time.
        try compare("as objects", posts) { try ModelContext(container).fetch($0).count }
        try compare("as a count", posts) { try ModelContext(container).fetchCount($0) }
    }

    private func compare(
        _ name: String, _ posts: FetchDescriptor<Post>, _ count: (FetchDescriptor<Post>) throws -> Int
    ) throws {
        let indexed = try Screen.bestOfThree { try count(posts) }
        let scanned = try Screen.bestOfThree { try count(posts.notIndexed()) }
        guard indexed.result == scanned.result else {
            throw CountsDiffer(indexed: indexed.result, scanned: scanned.result)
        }
        print(
            Self.row(
                name, Screen.text(indexed.seconds), Screen.text(scanned.seconds),
                "the R-tree is \(Screen.ratio(indexed.seconds, to: scanned.seconds))"))
    }

    private static func row(_ name: String, _ indexed: String, _ scanned: String, _ words: String) -> String {
        let row =
            Screen.cell(name, 12) + Screen.cell(indexed, 16, isRight: true) + Screen.cell(scanned, 14, isRight: true)
        return words.isEmpty ? row : "\(row)   \(words)"
    }

    /// The index finds other posts than the table has.
    private struct CountsDiffer: Error {
        var indexed: Int
        var scanned: Int
    }
}
