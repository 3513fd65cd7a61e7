/// The statements of a library with derived attributes, for review.
let goldenOfDerivedAttributes = #"""
    CREATE TABLE "Author" (
        "id$" INTEGER PRIMARY KEY AUTOINCREMENT,
        "version$" INTEGER NOT NULL DEFAULT 1,
        "alias" TEXT GENERATED ALWAYS AS ("name") VIRTUAL,
        "booksCount" INTEGER DEFAULT 0,
        "name" TEXT NOT NULL
    ) STRICT;

    CREATE TABLE "Book" (
        "id$" INTEGER PRIMARY KEY AUTOINCREMENT,
        "version$" INTEGER NOT NULL DEFAULT 1,
        "authorName" TEXT,
        "author" INTEGER REFERENCES "Author"("id$") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
    ) STRICT;

    CREATE INDEX "reference$Book$author"
        ON "Book" ("author");

    CREATE TRIGGER "derived$Author$booksCount$insert"
    AFTER INSERT ON "Author"
    BEGIN
        UPDATE "Author"
            SET "booksCount" = (SELECT count(*) FROM "Book" AS "hop1$" WHERE "hop1$"."author" = "Author"."id$")
            WHERE "id$" IN (NEW."id$")
                AND "booksCount" IS NOT (SELECT count(*) FROM "Book" AS "hop1$" WHERE "hop1$"."author" = "Author"."id$");
    END;

    CREATE TRIGGER "derived$Author$booksCount$update"
    AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_" ON "Author"
    WHEN OLD."id$" IS NOT NEW."id$"
    BEGIN
        UPDATE "Author"
            SET "booksCount" = (SELECT count(*) FROM "Book" AS "hop1$" WHERE "hop1$"."author" = "Author"."id$")
            WHERE "id$" IN (NEW."id$")
                AND "booksCount" IS NOT (SELECT count(*) FROM "Book" AS "hop1$" WHERE "hop1$"."author" = "Author"."id$");
    END;

    CREATE TRIGGER "derived$Author$booksCount$1$insert"
    AFTER INSERT ON "Book"
    WHEN NEW."author" IS NOT NULL
    BEGIN
        UPDATE "Author"
            SET "booksCount" = coalesce("booksCount", 0) + 1
            WHERE "id$" = NEW."author";
    END;

    CREATE TRIGGER "derived$Author$booksCount$1$update"
    AFTER UPDATE OF "author" ON "Book"
    WHEN OLD."author" IS NOT NEW."author" COLLATE BINARY
    BEGIN
        UPDATE "Author"
            SET "booksCount" = coalesce("booksCount", 0) - 1
            WHERE "id$" = OLD."author";
        UPDATE "Author"
            SET "booksCount" = coalesce("booksCount", 0) + 1
            WHERE "id$" = NEW."author";
    END;

    CREATE TRIGGER "derived$Author$booksCount$1$delete"
    AFTER DELETE ON "Book"
    WHEN OLD."author" IS NOT NULL
    BEGIN
        UPDATE "Author"
            SET "booksCount" = coalesce("booksCount", 0) - 1
            WHERE "id$" = OLD."author";
    END;

    CREATE TRIGGER "derived$Book$authorName$insert"
    AFTER INSERT ON "Book"
    BEGIN
        UPDATE "Book"
            SET "authorName" = (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author")
            WHERE "id$" IN (NEW."id$")
                AND "authorName" IS NOT (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author");
    END;

    CREATE TRIGGER "derived$Book$authorName$update"
    AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_", "author" ON "Book"
    WHEN OLD."id$" IS NOT NEW."id$"
        OR OLD."author" IS NOT NEW."author" COLLATE BINARY
    BEGIN
        UPDATE "Book"
            SET "authorName" = (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author")
            WHERE "id$" IN (NEW."id$")
                AND "authorName" IS NOT (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author");
    END;

    CREATE TRIGGER "derived$Book$authorName$1$insert"
    AFTER INSERT ON "Author"
    BEGIN
        UPDATE "Book"
            SET "authorName" = (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author")
            WHERE "id$" IN (SELECT "id$" FROM "Book" WHERE "author" IN (NEW."id$"))
                AND "authorName" IS NOT (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author");
    END;

    CREATE TRIGGER "derived$Book$authorName$1$update"
    AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_", "name" ON "Author"
    WHEN OLD."id$" IS NOT NEW."id$"
        OR OLD."name" IS NOT NEW."name" COLLATE BINARY
    BEGIN
        UPDATE "Book"
            SET "authorName" = (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author")
            WHERE "id$" IN (SELECT "id$" FROM "Book" WHERE "author" IN (OLD."id$", NEW."id$"))
                AND "authorName" IS NOT (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author");
    END;

    CREATE TRIGGER "derived$Book$authorName$1$delete"
    AFTER DELETE ON "Author"
    BEGIN
        UPDATE "Book"
            SET "authorName" = (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author")
            WHERE "id$" IN (SELECT "id$" FROM "Book" WHERE "author" IN (OLD."id$"))
                AND "authorName" IS NOT (SELECT "hop1$"."name" FROM "Author" AS "hop1$" WHERE "hop1$"."id$" = "Book"."author");
    END;

    """#
