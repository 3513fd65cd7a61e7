import CLoops
import Foundation

/// The properties of a post as one writes them by hand.
struct PostValues: Codable, Equatable, Sendable {
    var category: String
    var favorite: Bool
    var latitude: Double
    var likes: Int64
    var longitude: Double
    var rating: Int64
    var summary: String?
    var text: String
    var timestamp: Date
    var title: String
    var author: Int64?

    /// The columns that ``decode(_:from:)`` reads.
    static let columns = #"""
        "category", "favorite", "latitude", "likes", "longitude", "rating", "summary", "text", "timestamp", "title", "author"
        """#

    /// Decodes the row that a statement stands on, from a column on.
    @inline(__always)
    static func decode(_ row: OpaquePointer, from first: Int32) -> PostValues {
        PostValues(
            category: row.text(first), favorite: row.integer(first + 1) != 0, latitude: row.double(first + 2),
            likes: row.integer(first + 3), longitude: row.double(first + 4), rating: row.integer(first + 5),
            summary: row.optionalText(first + 6), text: row.text(first + 7), timestamp: row.date(first + 8),
            title: row.text(first + 9), author: row.reference(first + 10))
    }
}

/// A post as an object, with its related objects if a workload reads or writes them.
final class LoopPost {
    static let select = #"SELECT "id$", "version$", \#(PostValues.columns) FROM "Post""#

    let id: Int64
    var version: Int64
    var values: PostValues
    var comments: [LoopComment] = []
    var tags: [LoopTag] = []

    init(_ row: OpaquePointer) {
        (id, version) = (row.integer(0), row.integer(1))
        values = .decode(row, from: 2)
    }

    init(id: Int64, version: Int64, values: PostValues) {
        (self.id, self.version, self.values) = (id, version, values)
    }
}

/// A comment as an object.
final class LoopComment {
    static let select = #"SELECT "id$", "version$", "text", "timestamp", "author", "post" FROM "Comment""#

    let id: Int64
    let version: Int64
    var text: String
    var timestamp: Date
    var author: Int64?
    var post: Int64?

    init(_ row: OpaquePointer) {
        (id, version) = (row.integer(0), row.integer(1))
        (text, timestamp) = (row.text(2), row.date(3))
        (author, post) = (row.reference(4), row.reference(5))
    }
}

/// A tag as an object.
final class LoopTag {
    let id: Int64
    let name: String

    init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
}

/// A member of an ordered relationship as an object, with the number that keeps its place.
final class LoopMember {
    let id: Int64
    var title: String
    var key: Int64

    init(id: Int64, title: String, key: Int64) { (self.id, self.title, self.key) = (id, title, key) }
}

/// An ordered relationship as one maintains it by hand: an array, and numbers with gaps that determine the order.
struct LoopList {
    var members: [LoopMember]
    /// The members whose numbers were changed.
    private(set) var changed: [Int64: LoopMember] = [:]

    init(_ members: [LoopMember]) { self.members = members }

    mutating func move(from: Int, to: Int) {
        let member = members.remove(at: from)
        members.insert(member, at: to)
        let low = to > 0 ? members[to - 1].key : members.count > 1 ? members[1].key - 2 << 20 : 0
        let high = to + 1 < members.count ? members[to + 1].key : low + 2 << 20
        if high - low < 2 { return renumber() }
        member.key = low + (high - low) / 2
        changed[member.id] = member
    }

    private mutating func renumber() {
        for (index, member) in members.enumerated() where member.key != Int64(index + 1) << 20 {
            member.key = Int64(index + 1) << 20
            changed[member.id] = member
        }
    }
}
