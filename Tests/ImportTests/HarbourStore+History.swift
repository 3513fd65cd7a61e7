import Foundation

/// The tables of a persistent history, as Core Data makes them.
extension HarbourStore {
    func trackHistory() throws {
        let texts = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
        try run(
            """
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                \(texts.map { "Z\($0)TS INTEGER" }.joined(separator: ", ")), ZTIMESTAMP FLOAT,
                \(texts.map { "Z\($0) VARCHAR" }.joined(separator: ", ")), ZQUERYGEN BLOB)
            """,
            """
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
                ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB,
                ZTOMBSTONE2 BLOB, ZTOMBSTONE3 BLOB)
            """,
            "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
            "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            """
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 14), (16002, 'TRANSACTION', 0, 9),
                (16003, 'TRANSACTIONSTRING', 0, 5)
            """)
    }

    /// Three transactions, one of them without changes, with numbers that have gaps; changes are not in the order of their numbers.
    func fillHistory() throws {
        let (dock, ship, steamer) = (number("Dock"), number("Ship"), number("Steamer"))
        try run(
            """
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'app'), (2, 16003, 1, 'org.example.harbour'),
                (3, 16003, 1, 'main'), (4, 16003, 1, 'Harbour'), (5, 16003, 1, 'widget')
            """,
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP, ZAUTHOR)
            VALUES (3, 16002, 1, 1, 2, 3, 4, 700000000.123456, NULL), (5, 16002, 1, NULL, NULL, NULL, NULL, 700000001, 'older'),
                (9, 16002, 1, 5, 2, NULL, 4, 700000000.5, NULL)
            """,
            // Of a ship: built, convoy, name, price, rivals, tonnage.
            """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, ZTOMBSTONE0, ZTOMBSTONE1,
                ZTOMBSTONE2, ZTOMBSTONE3) VALUES
            (10, 16001, 1, 3, 0, \(ship), 1, NULL, NULL, NULL, NULL, NULL),
            (11, 16001, 1, 3, 0, \(steamer), 2, NULL, NULL, NULL, NULL, NULL),
            (14, 16001, 1, 9, 1, \(ship), 1, x'28', NULL, NULL, NULL, NULL),
            (12, 16001, 1, 9, 2, \(steamer), 7, NULL, 1.5, 2.5, 'Gone', 12.34),
            (13, 16001, 1, 9, 1, \(dock), 1, NULL, NULL, NULL, NULL, NULL),
            (8, 16001, 1, 9, 1, \(steamer), 2, x'42', NULL, NULL, NULL, NULL)
            """)
    }
}
