import Ashlar
import Foundation
import PhotoAPI

/// All writes, one request after the other.
///
/// SQLite has one writer at a time. Requests that wait for their turn here wait as tasks, and hold neither a thread nor
/// a connection. The actor's code runs on a queue of its own.
actor FeedWriter: ModelActor {
    static let counts = 1...500
    /// The number of attempts of a request while other processes save the same rows.
    static let attempts = 5

    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor

    init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
    }

    func makeAuthor(_ new: NewAuthor) throws -> AuthorResponse {
        try saving { context in
            let author = Author(name: new.name)
            context.insert(author)
            try context.save()
            return AuthorResponse(name: author.name, posts: 0)
        }
    }

    /// Makes all posts or none: they are one transaction, and no reader sees some of them.
    func makePosts(_ new: [NewPost]) throws -> [PostResponse] {
        guard Self.counts.contains(new.count) else {
            throw ServiceError.invalidCount(new.count, allowed: Self.counts)
        }
        return try saving { context in
            let posts = try new.map { new in
                let post = Post(
                    latitude: new.latitude ?? 0, longitude: new.longitude ?? 0, text: new.text ?? "",
                    timestamp: new.timestamp, title: new.title)
                context.insert(post)
                post.author = try author(new.author, in: context)
                post.day = try day(of: new.timestamp, in: context)
                return post
            }
            try context.save()
            return posts.map(PostResponse.init)
        }
    }

    func change(_ identifier: PersistentIdentifier, _ change: PostChange) throws -> PostResponse {
        try saving { context in
            let post: Post = try context.model(for: identifier)
            guard post.revision == change.revision else {
                throw ServiceError.outdatedRevision(seen: change.revision, current: post.revision)
            }
            if let title = change.title { post.title = title }
            if let text = change.text { post.text = text }
            post.revision += 1
            try context.save()
            return PostResponse(post)
        }
    }

    func like(_ identifier: PersistentIdentifier) throws -> PostResponse {
        try saving { context in
            let post: Post = try context.model(for: identifier)
            post.likes += 1
            try context.save()
            return PostResponse(post)
        }
    }

    func comment(on identifier: PersistentIdentifier, _ new: NewComment) throws -> CommentResponse {
        try saving { context in
            let post: Post = try context.model(for: identifier)
            let comment = Comment(text: new.text, timestamp: .now, post: post)
            context.insert(comment)
            comment.author = try author(new.author, in: context)
            try context.save()
            return CommentResponse(comment)
        }
    }

    func delete(_ identifier: PersistentIdentifier) throws {
        try saving { context in
            let post: Post = try context.model(for: identifier)
            context.delete(post)
            try context.save()
        }
    }

    /// Runs a closure that reads and saves. It runs again if another process has saved the same rows in between, or the
    /// same day.
    ///
    /// The context lives as long as the service. Without a reset, it would continue with the objects that it has read,
    /// whatever another process has made of their rows, and changes of a refused request would be saved with the next
    /// one. So each request begins with an empty context.
    private func saving<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
        let context = modelContext
        for _ in 1..<Self.attempts {
            context.reset()
            do {
                return try body(context)
            } catch SaveError.conflict {
                continue
            } catch SaveError.notUnique(_, properties: ["start"], _) {
                continue  // The other process has made the same day.
            }
        }
        context.reset()
        return try body(context)
    }

    private func author(_ name: String, in context: ModelContext) throws -> Author {
        guard let author = try context.fetchFirst(Author.where { $0.name == name }) else {
            throw ServiceError.unknownAuthor(name)
        }
        return author
    }

    private func day(of date: Date, in context: ModelContext) throws -> Day {
        let start = date.startOfDay
        if let day = try context.fetchFirst(Day.where { $0.start == start }) { return day }
        let day = Day(start: start)
        context.insert(day)
        return day
    }
}
