import Ashlar
import Hummingbird
import PhotoAPI
import ServiceLifecycle

extension FeedService {
    /// The newest posts as server-sent events: as they are at first, and again after each save that changes them.
    ///
    /// The stream ends when the client closes it, and when the service stops. An open stream would keep the service
    /// from stopping.
    func addEvents(to router: Router<FeedContext>) {
        router.get("events") { request, _ in
            let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-cache"]
            let body = ResponseBody { writer in
                do {
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        for try await _ in reader.changesOfNewest().cancelOnGracefulShutdown() {
                            try await writer.write(try Self.event(try await reader.newest()))
                        }
                    }
                } catch is CancellationError {
                    return  // The client has gone.
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: headers, body: body)
        }
    }

    private static func event(_ posts: [PostSummary]) throws -> ByteBuffer {
        let json = try FeedContext.encoder().encode(posts)
        return ByteBuffer(string: "event: posts\ndata: \(String(decoding: json, as: UTF8.self))\n\n")
    }
}
