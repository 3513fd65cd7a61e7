import Ashlar
import Foundation
import Hummingbird
import PhotoAPI

extension PostResponse {
    init(_ post: Post) {
        self.init(
            id: post.persistentModelID.rowID, title: post.title, text: post.text, timestamp: post.timestamp,
            latitude: post.latitude, longitude: post.longitude, likes: post.likes, revision: post.revision,
            author: post.author?.name)
    }
}

extension CommentResponse {
    init(_ comment: Comment) {
        self.init(author: comment.author?.name, text: comment.text, timestamp: comment.timestamp)
    }
}

extension Date {
    /// The first moment of the day in UTC, whose days all have as many seconds.
    var startOfDay: Date {
        let day = 24.0 * 3600
        return Date(timeIntervalSince1970: (timeIntervalSince1970 / day).rounded(.down) * day)
    }
}

extension AuthorResponse: ResponseEncodable {}
extension CommentResponse: ResponseEncodable {}
extension DayResponse: ResponseEncodable {}
extension ErrorResponse: ResponseEncodable {}
extension PostDetails: ResponseEncodable {}
extension PostPage: ResponseEncodable {}
extension PostResponse: ResponseEncodable {}
extension PostsResponse: ResponseEncodable {}
