import Ashlar
public import Foundation

/// PhotoFeed as it was first released: its code is generated from the first version of the same model.
public enum FirstRelease {
    /// Makes a store as a user of the first release would have left it.
    public static func makeStore(at url: URL, posts count: Int) throws {
        let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
        let context = ModelContext(container)
        for number in 0..<count {
            let post = Post(
                photo: Data("photo \(number)".utf8), timestamp: Date(timeIntervalSinceNow: -1e8 + Double(number)),
                title: "An old photo, number \(number)")
            context.insert(post)
        }
        try context.save()
    }
}
