import BenchmarkHarness
import Foundation
import GRDB

/// GRDB's reads with requests and associations.
extension GRDBReader {
    func titles() throws -> [String] {
        try queue.read { try String.fetchAll($0, GRDBPost.select(Column("title"))) }
    }

    func titlesAndLikes() throws -> [(String, Int64)] {
        try queue.read { database in
            var result: [(String, Int64)] = []
            let rows = try Row.fetchCursor(database, GRDBPost.select(Column("title"), Column("likes")))
            while let row = try rows.next() { result.append((row[0], row[1])) }
            return result
        }
    }

    func tenColumns() throws -> [TenValues] {
        try queue.read { database in
            var result: [TenValues] = []
            let rows = try Row.fetchCursor(database, GRDBPost.select(Self.ten))
            while let row = try rows.next() {
                result.append(
                    (
                        row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7],
                        Date(timeIntervalSinceReferenceDate: row[8]), row[9]
                    ))
            }
            return result
        }
    }

    func dictionaries() throws -> [[String: DatabaseValue]] {
        try queue.read { database in
            try Row.fetchAll(database, GRDBPost.select(Self.ten)).map {
                Dictionary($0, uniquingKeysWith: { first, _ in first })
            }
        }
    }

    static func text(_ row: [String: DatabaseValue], _ name: String) -> String? {
        row[name].flatMap { String.fromDatabaseValue($0) }
    }

    static func number(_ row: [String: DatabaseValue], _ name: String) -> Int64? {
        row[name].flatMap { Int64.fromDatabaseValue($0) }
    }

    private static let ten = [
        "category", "favorite", "latitude", "likes", "longitude", "rating", "summary", "text", "timestamp", "title",
    ].map { Column($0) }

    func postsWithComments() throws -> [GRDBPostWithComments] {
        try queue.read {
            try GRDBPost.including(all: GRDBPost.comments).asRequest(of: GRDBPostWithComments.self).fetchAll($0)
        }
    }

    func comments(of post: GRDBPost) throws -> [GRDBComment] {
        try queue.read { try post.request(for: GRDBPost.comments).fetchAll($0) }
    }

    func posts() throws -> [GRDBPost] { try queue.read { try GRDBPost.fetchAll($0) } }

    func commentsWithAuthors() throws -> [GRDBCommentWithAuthor] {
        try queue.read {
            try GRDBComment.including(optional: GRDBComment.post.including(optional: GRDBPost.author))
                .asRequest(of: GRDBCommentWithAuthor.self).fetchAll($0)
        }
    }

    func groups() throws -> [(String, Int, Int64, Int64)] {
        try queue.read { database in
            let category = Column("category")
            let request = GRDBPost.select(category, count(Column("id$")), sum(Column("likes")), max(Column("rating")))
                .group(category).order(category)
            return try Row.fetchAll(database, request).map { ($0[0], $0[1], $0[2], $0[3]) }
        }
    }
}
