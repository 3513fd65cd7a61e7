/// The statements that all loops run, written once.
enum PostSQL {
    private static let properties =
        #""favorite", "image", "latitude", "likes", "longitude", "palette", "text", "timestamp", "title", "author""#

    static let select = #"SELECT "id$", "version$", \#(properties) FROM "Post""#
    static let selectOne = select + #" WHERE "id$" = ?1"#
    static let selectPage = select + #" ORDER BY "timestamp" DESC LIMIT 20"#
    static let insert = #"INSERT INTO "Post" (\#(properties)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"#
    static let update = #"UPDATE "Post" SET "version$" = "version$" + 1, "likes" = ?1 WHERE "id$" = ?2"#
    static let delete = #"DELETE FROM "Post" WHERE "id$" = ?1"#
}
