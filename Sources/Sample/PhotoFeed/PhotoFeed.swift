import Ashlar
import Foundation
import PhotoFeedFirstRelease

/// The app of WWDC18's "Core Data Best Practices" in a terminal: a feed of photos with their times and places.
///
///     swift run PhotoFeed [number of posts]
@main
struct PhotoFeed {
    let container: ModelContainer
    let context: ModelContext

    static func main() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let folder = FileManager.default.temporaryDirectory.appending(path: "PhotoFeed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let app = try PhotoFeed(upgrading: folder.appending(path: "PhotoFeed.store"))
        try app.assignDays()
        try app.fill(with: count)
        try app.showNewestPage()
        try app.showChart()
        try app.showBothCounts()
        try app.showMap()
        try app.markFavorites()
        try await app.pressTheButtons()
        try app.deleteAuthors()
    }

    /// Opens a store that the first release wrote; opening it migrates it through three versions.
    init(upgrading url: URL) throws {
        Screen.title("Migration")
        try FirstRelease.makeStore(at: url, posts: 1000)
        let configuration = ModelConfiguration(url: url, options: StoreOptions(historyTracking: true))
        let time = try Screen.time { try ModelContainer(for: PhotoFeedModel.self, configurations: configuration) }
        container = time.result
        context = ModelContext(container)
        let posts = try context.fetchCount(Post.where { $0.image != nil })
        let version = PhotoFeedModel.modelDescription.versions.last?.name ?? ""
        print("A store of the first version was migrated to \"\(version)\" in \(time.text): \(posts) photos are there.")
    }

    /// Twenty posts at a time, newest first: the index on the timestamp has them in this order.
    func showNewestPage() throws {
        Screen.title("Newest posts")
        let page = Post.order { $0.timestamp.descending }.limit(20)
        let posts = try Screen.time { try context.fetch(page) }
        for post in posts.result.prefix(5) {
            print("\(Screen.date(post.timestamp))  \(post.title), by \(post.author?.name ?? "nobody")")
        }
        print("… and \(max(posts.result.count - 5, 0)) more, in \(posts.text)")
    }

    /// The store keeps the count of each day, so that the chart reads thirty rows.
    func showChart() throws {
        Screen.title("Posts per day")
        let month = Date.now.addingTimeInterval(-30 * 24 * 3600)
        let days = try context.fetch(Day.where { $0.start >= month && $0.count > 0 }.order { $0.start.ascending })
        let greatest = days.map(\.count).max() ?? 1
        for day in days {
            print("\(Screen.day(day.start))  \(Screen.bar(Double(day.count) / Double(greatest)))  \(day.count)")
        }
    }

    /// Marking all posts of a condition is one statement, and no object is read.
    func markFavorites() throws {
        Screen.title("Marking favorites")
        let time = try Screen.time { try context.batchUpdate(Post.where { $0.likes > 450 }) { $0.favorite = true } }
        print("\(time.result) posts are favorites, in \(time.text).")
    }
}
