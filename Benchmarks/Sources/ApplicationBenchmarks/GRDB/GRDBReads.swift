import Foundation
import GRDB

/// GRDB's reads with requests.
extension Database {
    func unreadCounts() throws -> [Int64: Int] {
        let conversation = Column("conversation")
        var counts: [Int64: Int] = [:]
        let request = GRDBMessage.select(conversation, count(Column("id$"))).filter(Column("isRead") == false)
            .group(conversation)
        let rows = try Row.fetchCursor(self, request)
        while let row = try rows.next() { counts[row[0]] = row[1] }
        return counts
    }

    /// The newest messages with the words that are typed.
    func messages(matching pattern: FTS5Pattern) throws -> [GRDBMessage] {
        try GRDBMessage.fetchAll(
            self,
            sql: #"""
                SELECT m.* FROM "fulltext$Message$search" AS f JOIN "Message" AS m ON m."id$" = f."rowid"
                WHERE "fulltext$Message$search" MATCH ?1 ORDER BY m."date" DESC LIMIT 20
                """#, arguments: [pattern])
    }

    func messages(containing text: String) throws -> [GRDBMessage] {
        try GRDBMessage.fetchAll(self, GRDBMessage.newest.filter(Column("text").like("%\(text)%")).limit(20))
    }

    /// The page before or after a message, with the senders.
    func page(of conversation: Int64, after last: GRDBMessage?, isForth: Bool) throws -> [GRDBMessageWithSender] {
        let (date, id) = (Column("date"), Column("id$"))
        var request = GRDBMessage.filter(Column("conversation") == conversation).limit(50)
        request = isForth ? request.order(date.desc, id) : request.order(date, id.desc)
        if let last {
            let (lastDate, lastID) = (last.date.timeIntervalSinceReferenceDate, last.id)
            request =
                isForth
                ? request.filter(date <= lastDate && (date < lastDate || id > lastID))
                : request.filter(date >= lastDate && (date > lastDate || id < lastID))
        }
        return try request.including(optional: GRDBMessage.sender).asRequest(of: GRDBMessageWithSender.self)
            .fetchAll(self)
    }
}
