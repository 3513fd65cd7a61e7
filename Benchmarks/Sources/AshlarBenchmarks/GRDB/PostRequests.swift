import GRDB

/// GRDB's requests for rows, kept prepared. They stand apart, since Ashlar has a `Row` too.
enum PostRequests {
    static var all: SQLRequest<Row> { SQLRequest(sql: PostSQL.select, cached: true) }
    static var page: SQLRequest<Row> { SQLRequest(sql: PostSQL.selectPage, cached: true) }
}
