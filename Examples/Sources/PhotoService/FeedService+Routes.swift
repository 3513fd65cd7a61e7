import Ashlar
import Foundation
import Hummingbird
import PhotoAPI

extension FeedService {
    func addAuthors(to router: Router<FeedContext>) {
        router.post("authors") { request, context in
            let new = try await request.decode(as: NewAuthor.self, context: context)
            let author = try await writer.makeAuthor(new)
            return EditedResponse(status: .created, response: author)
        }
        router.get("authors/:name") { _, context in
            try await reader.author(try context.parameters.require("name"))
        }
    }

    func addPosts(to router: Router<FeedContext>) {
        router.get("posts") { request, _ in
            try await reader.posts(try PostQuery(request.uri.queryParameters))
        }
        router.post("posts") { request, context in
            let new = try await request.decode(as: NewPosts.self, context: context)
            let posts = try await writer.makePosts(new.posts)
            return EditedResponse(status: .created, response: PostsResponse(posts: posts))
        }
        router.get("posts/:number") { _, context in
            try await reader.post(try number(context))
        }
        router.patch("posts/:number") { request, context in
            let change = try await request.decode(as: PostChange.self, context: context)
            return try await writer.change(try identifier(context), change)
        }
        router.delete("posts/:number") { _, context in
            try await writer.delete(try identifier(context))
            return HTTPResponse.Status.noContent
        }
        router.post("posts/:number/likes") { _, context in
            try await writer.like(try identifier(context))
        }
        router.post("posts/:number/comments") { request, context in
            let new = try await request.decode(as: NewComment.self, context: context)
            let comment = try await writer.comment(on: try identifier(context), new)
            return EditedResponse(status: .created, response: comment)
        }
    }

    func addDays(to router: Router<FeedContext>) {
        router.get("days/:date") { _, context in
            let text = try context.parameters.require("date")
            guard let date = try? Date(text, strategy: .iso8601.year().month().day()) else {
                throw ServiceError.invalidParameter("date", reason: "it has to be a day such as 2026-05-17")
            }
            return try await reader.day(date)
        }
    }

    private func number(_ context: FeedContext) throws -> Int64 {
        let text = try context.parameters.require("number")
        guard let number = Int64(text), number > 0 else {
            throw ServiceError.invalidParameter("number", reason: "it has to be the number of a post")
        }
        return number
    }

    private func identifier(_ context: FeedContext) throws -> PersistentIdentifier {
        try reader.identifier(ofPost: try number(context))
    }
}
