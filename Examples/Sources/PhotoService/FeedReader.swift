import Ashlar
import Foundation
import PhotoAPI

/// All reads. Each request has a context of its own, on a queue of its own: no event loop waits for the disk, and
/// readers wait neither for each other nor for the writer.
struct FeedReader: Sendable {
    let container: ModelContainer

    /// Returns the identifier of a post by the number that clients use.
    func identifier(ofPost number: Int64) throws(ServiceError) -> PersistentIdentifier {
        guard let url = URL(string: "x-ashlar://\(container.storeIdentifier)/Post/p\(number)"),
            let identifier = PersistentIdentifier(uriRepresentation: url)
        else { throw .notFound("There is no post \(number).") }
        return identifier
    }

    func posts(_ query: PostQuery) async throws -> PostPage {
        try await container.performBackgroundTask { context in
            let last = try query.after.map { try lastPost($0, in: context) }
            let found = try context.fetch(query.descriptor.page(after: last))
            let posts = found.prefix(query.limit)
            let next = found.count > query.limit ? posts.last.map { Cursor($0.persistentModelID).text } : nil
            return PostPage(posts: posts.map(PostResponse.init), next: next)
        }
    }

    /// A page begins after an object, which has to be read once more.
    private func lastPost(_ cursor: Cursor, in context: ModelContext) throws -> Post {
        do {
            return try context.model(for: cursor.post)
        } catch StoreError.missingObject {
            throw ServiceError.lostPlace
        }
    }

    /// A post with its comments, both of the same state of the store.
    func post(_ number: Int64) async throws -> PostDetails {
        let identifier = try identifier(ofPost: number)
        return try await reading { context in
            let post: Post = try context.model(for: identifier)
            let comments = try context.fetch(
                Comment.where { $0.post == post }.order { $0.timestamp.ascending }.prefetch { $0.author })
            return PostDetails(post: PostResponse(post), comments: comments.map(CommentResponse.init))
        }
    }

    /// A day with its posts. Triggers of the store maintain the count. Another statement reads it than the posts, and
    /// both agree because they see one state of the store.
    func day(_ start: Date) async throws -> DayResponse {
        try await reading { context in
            guard let day = try context.fetchFirst(Day.where { $0.start == start }) else {
                throw ServiceError.notFound("There is no photo of that day.")
            }
            let posts = try context.fetch(
                Post.where { $0.day == day }.order { $0.timestamp.ascending }.prefetch { $0.author })
            return DayResponse(start: day.start, count: day.count, posts: posts.map(PostResponse.init))
        }
    }

    func author(_ name: String) async throws -> AuthorResponse {
        try await reading { context in
            guard let author = try context.fetchFirst(Author.where { $0.name == name }) else {
                throw ServiceError.notFound("There is no author with this name.")
            }
            return AuthorResponse(
                name: author.name, posts: try context.fetchCount(Post.where { $0.author == author }))
        }
    }

    private static let newest = Post.order { $0.timestamp.descending }.limit(10)

    /// A sequence with an element now, and after each save that changes the newest posts.
    func changesOfNewest() -> ValuesResultsSequence<Post> { container.results(Self.newest) }

    /// The newest posts with their numbers, which the values of live results do not have.
    func newest() async throws -> [PostSummary] {
        try await container.fetch(Self.newest.select { ($0.persistentModelID, $0.title, $0.likes) })
            .compactMap { identifier, title, likes in
                identifier.map { PostSummary(id: $0.rowID, title: title, likes: likes) }
            }
    }

    /// Runs a closure whose reads all see one state of the store, whatever is written meanwhile.
    private func reading<Result: Sendable>(
        _ body: @Sendable (ModelContext) throws -> Result
    ) async throws -> Result {
        try await container.performBackgroundTask { context in
            try context.withQueryGeneration { try body(context) }
        }
    }
}
