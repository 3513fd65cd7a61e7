import Foundation

/// The body of a request that makes an author.
public struct NewAuthor: Codable, Sendable {
    public var name: String

    public init(name: String) { self.name = name }
}

/// A photo that is to be posted.
public struct NewPost: Codable, Sendable {
    public var title: String
    public var text: String?
    /// When the photo was taken.
    public var timestamp: Date
    public var latitude: Double?
    public var longitude: Double?
    /// The name of an existing author.
    public var author: String

    public init(
        title: String, text: String? = nil, timestamp: Date, latitude: Double? = nil, longitude: Double? = nil,
        author: String
    ) {
        self.title = title
        self.text = text
        self.timestamp = timestamp
        self.latitude = latitude
        self.longitude = longitude
        self.author = author
    }
}

/// Posts that are made together: all of them or none.
public struct NewPosts: Codable, Sendable {
    public var posts: [NewPost]

    public init(posts: [NewPost]) { self.posts = posts }
}

/// A change of a post. Missing properties stay as they are.
public struct PostChange: Codable, Sendable {
    /// The revision that the client has seen. A change of another revision is refused, so that no change is lost.
    public var revision: Int64
    public var title: String?
    public var text: String?

    public init(revision: Int64, title: String? = nil, text: String? = nil) {
        self.revision = revision
        self.title = title
        self.text = text
    }
}

/// A comment that is to be made on a post.
public struct NewComment: Codable, Sendable {
    public var author: String
    public var text: String

    public init(author: String, text: String) {
        self.author = author
        self.text = text
    }
}
