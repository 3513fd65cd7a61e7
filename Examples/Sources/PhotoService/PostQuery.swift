import Ashlar
import Hummingbird

/// The posts that a client asks for, read from the query of its request.
struct PostQuery {
    /// A part of the map, which the R-tree index `byPlace` finds.
    struct Box: Equatable {
        var latitude: ClosedRange<Double>
        var longitude: ClosedRange<Double>
    }

    static let limits = 1...100

    var words: String?
    var box: Box?
    var author: String?
    var limit = 20
    var after: Cursor?

    /// - Throws: ``ServiceError``.
    init(_ parameters: Parameters) throws(ServiceError) {
        if let words = parameters.get("search") {
            guard words.contains(where: { $0.isLetter || $0.isNumber }) else {
                throw .invalidParameter("search", reason: "it has no word")
            }
            self.words = words
        }
        if let text = parameters.get("box") { box = try Self.box(text) }
        author = parameters.get("author")
        if let text = parameters.get("limit") {
            guard let limit = Int(text), Self.limits.contains(limit) else {
                throw .invalidParameter("limit", reason: "it has to be a number from 1 to \(Self.limits.upperBound)")
            }
            self.limit = limit
        }
        if let text = parameters.get("after") { after = try Cursor(text) }
    }

    private static func box(_ text: String) throws(ServiceError) -> Box {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }
        guard parts.count == 4, numbers.count == 4, numbers.allSatisfy(\.isFinite) else {
            throw .invalidParameter("box", reason: "it has to be four numbers: south,west,north,east")
        }
        guard numbers[0] <= numbers[2], numbers[1] <= numbers[3] else {
            throw .invalidParameter("box", reason: "south must not be above north, nor west beyond east")
        }
        return Box(latitude: numbers[0]...numbers[2], longitude: numbers[1]...numbers[3])
    }

    /// The posts from the newest on. One more than the page has shows whether there is a next page.
    var descriptor: FetchDescriptor<Post> {
        var posts = Post.order { $0.timestamp.descending }.limit(limit + 1).prefetch { $0.author }
        if let words { posts = posts.where { $0.search.matches(.prefix(words)) } }
        if let box { posts = posts.where { $0.byPlace(latitude: box.latitude, longitude: box.longitude) } }
        if let author { posts = posts.where { $0.author.name == author } }
        return posts
    }
}
