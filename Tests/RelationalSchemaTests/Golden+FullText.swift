/// The statements of a full-text index of an entity below another, for review.
let goldenFullText = #"""
    CREATE VIRTUAL TABLE "fulltext$Note$search"
        USING fts5("title", "rank$text", "copy", "authorName", tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3');
    INSERT INTO "fulltext$Note$search" ("rowid", "title", "rank$text", "copy", "authorName")
    SELECT "id$", "title", "rank", "copy", "authorName"
    FROM "Thing"
    WHERE ("title" IS NOT NULL OR "rank" IS NOT NULL OR "copy" IS NOT NULL OR "authorName" IS NOT NULL) AND "entity$" IN ('Note', 'Letter');
    CREATE TRIGGER "fulltext$Note$search$insert"
    AFTER INSERT ON "Thing"
    BEGIN
        DELETE FROM "fulltext$Note$search"
            WHERE "rowid" IN (NEW."id$");
        INSERT INTO "fulltext$Note$search" ("rowid", "title", "rank$text", "copy", "authorName")
            SELECT "id$", "title", "rank", "copy", "authorName"
            FROM "Thing"
            WHERE "id$" = NEW."id$" AND ("title" IS NOT NULL OR "rank" IS NOT NULL OR "copy" IS NOT NULL OR "authorName" IS NOT NULL) AND "entity$" IN ('Note', 'Letter');
    END;
    CREATE TRIGGER "fulltext$Note$search$delete"
    AFTER DELETE ON "Thing"
    BEGIN
        DELETE FROM "fulltext$Note$search"
            WHERE "rowid" IN (OLD."id$");
    END;
    CREATE TRIGGER "fulltext$Note$search$update"
    AFTER UPDATE OF "title", "rank", "copy", "authorName", "entity$" ON "Thing"
    WHEN OLD."id$" IS NEW."id$"
        AND (OLD."title" IS NOT NEW."title" OR OLD."rank" IS NOT NEW."rank" OR OLD."copy" IS NOT NEW."copy" OR OLD."authorName" IS NOT NEW."authorName" OR OLD."entity$" IS NOT NEW."entity$")
    BEGIN
        DELETE FROM "fulltext$Note$search"
            WHERE "rowid" IN (NEW."id$");
        INSERT INTO "fulltext$Note$search" ("rowid", "title", "rank$text", "copy", "authorName")
            SELECT "id$", "title", "rank", "copy", "authorName"
            FROM "Thing"
            WHERE "id$" = NEW."id$" AND ("title" IS NOT NULL OR "rank" IS NOT NULL OR "copy" IS NOT NULL OR "authorName" IS NOT NULL) AND "entity$" IN ('Note', 'Letter');
    END;
    CREATE TRIGGER "fulltext$Note$search$renumber"
    AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_" ON "Thing"
    WHEN OLD."id$" IS NOT NEW."id$"
    BEGIN
        DELETE FROM "fulltext$Note$search"
            WHERE "rowid" IN (OLD."id$", NEW."id$");
        INSERT INTO "fulltext$Note$search" ("rowid", "title", "rank$text", "copy", "authorName")
            SELECT "id$", "title", "rank", "copy", "authorName"
            FROM "Thing"
            WHERE "id$" = NEW."id$" AND ("title" IS NOT NULL OR "rank" IS NOT NULL OR "copy" IS NOT NULL OR "authorName" IS NOT NULL) AND "entity$" IN ('Note', 'Letter');
    END
    """#
