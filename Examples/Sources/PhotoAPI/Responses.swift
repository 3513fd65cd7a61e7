import Foundation

/// An author, as a client sees one.
public struct AuthorResponse: Codable, Sendable, Equatable {
    public var name: String
    public var posts: Int

    public init(name: String, posts: Int) {
        self.name = name
        self.posts = posts
    }
}

/// A post, as a client sees one.
public struct PostResponse: Codable, Sendable, Equatable {
    public var id: Int64
    public var title: String
    public var text: String
    public var timestamp: Date
    public var latitude: Double
    public var longitude: Double
    public var likes: Int64
    public var revision: Int64
    public var author: String?

    public init(
        id: Int64, title: String, text: String, timestamp: Date, latitude: Double, longitude: Double, likes: Int64,
        revision: Int64, author: String?
    ) {
        self.id = id
        self.title = title
        self.text = text
        self.timestamp = timestamp
        self.latitude = latitude
        self.longitude = longitude
        self.likes = likes
        self.revision = revision
        self.author = author
    }
}

/// A part of the posts, and the beginning of the next part.
public struct PostPage: Codable, Sendable, Equatable {
    public var posts: [PostResponse]
    /// The value of `after` for the next page; nil at the last one.
    public var next: String?

    public init(posts: [PostResponse], next: String?) {
        self.posts = posts
        self.next = next
    }
}

/// The posts that were made together.
public struct PostsResponse: Codable, Sendable, Equatable {
    public var posts: [PostResponse]

    public init(posts: [PostResponse]) { self.posts = posts }
}

/// A comment on a post.
public struct CommentResponse: Codable, Sendable, Equatable {
    public var author: String?
    public var text: String
    public var timestamp: Date

    public init(author: String?, text: String, timestamp: Date) {
        self.author = author
        self.text = text
        self.timestamp = timestamp
    }
}

/// A post with the comments on it, the oldest first.
public struct PostDetails: Codable, Sendable, Equatable {
    public var post: PostResponse
    public var comments: [CommentResponse]

    public init(post: PostResponse, comments: [CommentResponse]) {
        self.post = post
        self.comments = comments
    }
}

/// A day with its photos.
public struct DayResponse: Codable, Sendable, Equatable {
    /// The first moment of the day, in UTC.
    public var start: Date
    /// The number of photos that the store has counted. It always equals the number of ``posts``.
    public var count: Int64
    public var posts: [PostResponse]

    public init(start: Date, count: Int64, posts: [PostResponse]) {
        self.start = start
        self.count = count
        self.posts = posts
    }
}

/// One of the newest posts, as the stream of events has it.
public struct PostSummary: Codable, Sendable, Equatable {
    public var id: Int64
    public var title: String
    public var likes: Int64

    public init(id: Int64, title: String, likes: Int64) {
        self.id = id
        self.title = title
        self.likes = likes
    }
}

/// The reason for which a request was refused.
public struct ErrorResponse: Codable, Sendable, Equatable {
    /// One rule of the model that a value breaks.
    public struct Failure: Codable, Sendable, Equatable {
        public var entity: String
        public var property: String
        public var reason: String

        public init(entity: String, property: String, reason: String) {
            self.entity = entity
            self.property = property
            self.reason = reason
        }
    }

    /// A word for programs, such as `invalid`.
    public var error: String
    /// A sentence for people.
    public var message: String
    /// Every broken rule of the model; nil for other errors.
    public var failures: [Failure]?

    public init(error: String, message: String, failures: [Failure]? = nil) {
        self.error = error
        self.message = message
        self.failures = failures
    }
}
