import Ashlar
import Foundation

/// Sample data: authors, and their posts of the last sixty days, half of them in and around a few cities.
extension PhotoFeed {
    func fill(with count: Int) throws {
        Screen.title("Filling the store")
        var random = SystemRandomNumberGenerator()
        var progress = Screen.Progress()
        let time = try Screen.time {
            let authors = try makeAuthors()
            let days = PostedDays(try makeDays(from: .now.addingTimeInterval(-60 * 24 * 3600), through: .now))
            // One transaction, whose rows are created one after the other, so the memory does not grow with their
            // number.
            let posts = (0..<count).lazy.map { number in
                let values = Self.post(number, by: authors, days, &random)
                if number.isMultiple(of: 1000) { progress.tell(Double(number) / Double(count)) }
                return values
            }
            try context.batchInsert(contentsOf: posts)
            progress.tell(1)
            try comment(by: authors)
        }
        print("\(try context.fetchCount(Post.all)) posts after \(time.text)")
    }

    private func makeAuthors() throws -> [PersistentIdentifier] {
        let names = ["Amara", "Bo", "Chiara", "Dilnoza", "Emil", "Fatou", "Grit", "Hiro", "Ines", "Jomo"]
        let authors = names.flatMap { first in (1...10).map { Author(name: "\(first) \($0)") } }
        for author in authors { context.insert(author) }
        try context.save()
        return authors.map(\.persistentModelID)
    }

    private static func post(
        _ number: Int, by authors: [PersistentIdentifier], _ days: PostedDays,
        _ random: inout some RandomNumberGenerator
    ) -> Post.Values {
        let (timestamp, day) = days.random(using: &random)
        let color = Color(red: .random(in: 0...255, using: &random), green: 120, blue: 80)
        var place = City(
            name: "", latitude: .random(in: -60...75, using: &random),
            longitude: .random(in: -180...180, using: &random))
        if Bool.random(using: &random), let city = City.all.randomElement(using: &random) {
            place.latitude = city.latitude + .random(in: -0.6...0.6, using: &random)
            place.longitude = city.longitude + .random(in: -0.6...0.6, using: &random)
        }
        return Post.Values(
            latitude: place.latitude, likes: .random(in: 0...500, using: &random),
            longitude: place.longitude, palette: number.isMultiple(of: 10) ? [color] : nil,
            text: "Seen on the way, and too good to keep.", timestamp: timestamp, title: "Photo \(number)",
            author: authors.randomElement(using: &random), day: day)
    }

    /// A comment on every tenth post.
    private func comment(by authors: [PersistentIdentifier]) throws {
        let posts = try context.fetchIdentifiers(Post.where { $0.title.hasSuffix("0") && $0.author != nil })
        try context.batchInsert(
            contentsOf: posts.lazy.map {
                Comment.Values(text: "Where is this?", timestamp: .now, author: authors.randomElement(), post: $0)
            })
    }
}

/// The days of the photos. Weekend days have more than twice as many photos.
struct PostedDays {
    private struct Day {
        var start: Date
        var end: Date
        var identifier: PersistentIdentifier
        /// The sum of the weights up to this day.
        var weight: Double
    }

    private var days: [Day] = []

    init(_ identifiers: [Date: PersistentIdentifier]) {
        var sum = 0.0
        for (start, identifier) in identifiers.sorted(by: { $0.key < $1.key }) {
            let end = min(Screen.startOfDay(start.addingTimeInterval(36 * 3600)), .now)
            sum += end.timeIntervalSince(start) * (Calendar.current.isDateInWeekend(start) ? 2.3 : 1)
            days.append(Day(start: start, end: end, identifier: identifier, weight: sum))
        }
    }

    /// A random time, and its day.
    func random(using random: inout some RandomNumberGenerator) -> (Date, PersistentIdentifier?) {
        guard let last = days.last else { return (.now, nil) }
        let weight = Double.random(in: 0..<last.weight, using: &random)
        let day = days.first { $0.weight > weight } ?? last
        let seconds = day.end.timeIntervalSince(day.start)
        return (day.start.addingTimeInterval(.random(in: 0..<seconds, using: &random)), day.identifier)
    }
}
