/// The statements of a photo feed, for review.
let golden = #"""
    CREATE TABLE "ashlar$metadata" (
        "key" TEXT NOT NULL,
        "value" ANY,
        PRIMARY KEY ("key")
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE "Author" (
        "id$" INTEGER PRIMARY KEY AUTOINCREMENT,
        "version$" INTEGER NOT NULL DEFAULT 1,
        "name" TEXT NOT NULL
    ) STRICT;

    CREATE TABLE "Post" (
        "id$" INTEGER PRIMARY KEY AUTOINCREMENT,
        "version$" INTEGER NOT NULL DEFAULT 1,
        "favorite" INTEGER NOT NULL DEFAULT 0,
        "latitude" REAL,
        "timestamp" REAL NOT NULL,
        "title" TEXT NOT NULL,
        "author" INTEGER NOT NULL REFERENCES "Author"("id$") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        "author$order" INTEGER
    ) STRICT;

    CREATE TABLE "Tag" (
        "id$" INTEGER PRIMARY KEY AUTOINCREMENT,
        "version$" INTEGER NOT NULL DEFAULT 1
    ) STRICT;

    CREATE TABLE "Post$tags" (
        "source$" INTEGER NOT NULL REFERENCES "Post"("id$") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        "target$" INTEGER NOT NULL REFERENCES "Tag"("id$") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        PRIMARY KEY ("source$", "target$")
    ) STRICT, WITHOUT ROWID;

    CREATE UNIQUE INDEX "unique$Author$name"
        ON "Author" ("name");

    CREATE INDEX "reference$Post$author"
        ON "Post" ("author");

    CREATE INDEX "reference$Post$tags"
        ON "Post$tags" ("target$");

    CREATE INDEX "index$Post$byTimestamp"
        ON "Post" ("timestamp" DESC);

    CREATE VIRTUAL TABLE "rtree$Post$byLatitude"
        USING rtree("id$", "latitude$min", "latitude$max");

    CREATE TRIGGER "rtree$Post$byLatitude$insert"
    AFTER INSERT ON "Post"
    WHEN NEW."latitude" IS NOT NULL
    BEGIN
        INSERT INTO "rtree$Post$byLatitude" ("id$", "latitude$min", "latitude$max")
            VALUES (NEW."id$", NEW."latitude", NEW."latitude");
    END;

    CREATE TRIGGER "rtree$Post$byLatitude$delete"
    AFTER DELETE ON "Post"
    WHEN OLD."latitude" IS NOT NULL
    BEGIN
        DELETE FROM "rtree$Post$byLatitude"
            WHERE "id$" IN (OLD."id$");
    END;

    CREATE TRIGGER "rtree$Post$byLatitude$leave"
    AFTER UPDATE OF "latitude" ON "Post"
    WHEN OLD."id$" IS NEW."id$"
        AND (NEW."latitude" IS NOT NULL) IS NOT TRUE
    BEGIN
        DELETE FROM "rtree$Post$byLatitude"
            WHERE "id$" IN (OLD."id$");
    END;

    CREATE TRIGGER "rtree$Post$byLatitude$enter"
    AFTER UPDATE OF "latitude" ON "Post"
    WHEN OLD."id$" IS NEW."id$"
        AND (OLD."latitude" IS NOT NULL) IS NOT TRUE
        AND NEW."latitude" IS NOT NULL
    BEGIN
        INSERT INTO "rtree$Post$byLatitude" ("id$", "latitude$min", "latitude$max")
            VALUES (NEW."id$", NEW."latitude", NEW."latitude");
    END;

    CREATE TRIGGER "rtree$Post$byLatitude$move"
    AFTER UPDATE OF "latitude" ON "Post"
    WHEN OLD."id$" IS NEW."id$"
        AND OLD."latitude" IS NOT NULL
        AND NEW."latitude" IS NOT NULL
        AND (OLD."latitude" IS NOT NEW."latitude")
    BEGIN
        UPDATE "rtree$Post$byLatitude"
            SET "latitude$min" = NEW."latitude", "latitude$max" = NEW."latitude"
            WHERE "id$" = OLD."id$";
    END;

    CREATE TRIGGER "rtree$Post$byLatitude$renumber"
    AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_" ON "Post"
    WHEN OLD."id$" IS NOT NEW."id$"
        AND NEW."latitude" IS NOT NULL
    BEGIN
        DELETE FROM "rtree$Post$byLatitude"
            WHERE "id$" IN (OLD."id$");
        INSERT INTO "rtree$Post$byLatitude" ("id$", "latitude$min", "latitude$max")
            VALUES (NEW."id$", NEW."latitude", NEW."latitude");
    END;

    CREATE TRIGGER "rtree$Post$byLatitude$renumber$leave"
    AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_" ON "Post"
    WHEN OLD."id$" IS NOT NEW."id$"
        AND (NEW."latitude" IS NOT NULL) IS NOT TRUE
    BEGIN
        DELETE FROM "rtree$Post$byLatitude"
            WHERE "id$" IN (OLD."id$", NEW."id$");
    END;

    """#
