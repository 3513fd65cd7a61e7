CREATE TRIGGER "ashlar$history$Keyword$$insert"
AFTER INSERT ON "Keyword"
WHEN (SELECT "pausedEntity" FROM "ashlar$historyState") IS NOT 1
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (1, NEW."id$", 0, NULL);
END;

CREATE TRIGGER "ashlar$history$Keyword$$renumber"
AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_" ON "Keyword"
WHEN OLD."id$" IS NOT NEW."id$"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (1, OLD."id$", 2, NULL);
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (1, NEW."id$", 0, NULL);
END;

CREATE TRIGGER "ashlar$history$Keyword$$delete"
AFTER DELETE ON "Keyword"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (1, OLD."id$", 2, NULL);
END;

CREATE TRIGGER "ashlar$history$Keyword$$update"
AFTER UPDATE OF "name", "reportsCount", "wordsTotal" ON "Keyword"
WHEN OLD."id$" IS NEW."id$" AND (OLD."name" IS NOT NEW."name"
    OR OLD."reportsCount" IS NOT NEW."reportsCount"
    OR OLD."wordsTotal" IS NOT NEW."wordsTotal")
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (1, NEW."id$", 1, ((OLD."name" IS NOT NEW."name") << 0)
                | ((OLD."reportsCount" IS NOT NEW."reportsCount") << 1)
                | ((OLD."wordsTotal" IS NOT NEW."wordsTotal") << 2));
END;

CREATE TRIGGER "ashlar$history$Keyword$reports$$insert"
AFTER INSERT ON "Keyword$reports"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (2, NEW."source$", 0, NEW."target$");
END;

CREATE TRIGGER "ashlar$history$Keyword$reports$$delete"
AFTER DELETE ON "Keyword$reports"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (2, OLD."source$", 2, OLD."target$");
END;

CREATE TRIGGER "ashlar$history$Keyword$reports$$relink"
AFTER UPDATE OF "source$", "target$" ON "Keyword$reports"
WHEN OLD."source$" IS NOT NEW."source$" OR OLD."target$" IS NOT NEW."target$"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (2, OLD."source$", 2, OLD."target$");
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (2, NEW."source$", 0, NEW."target$");
END;

CREATE TRIGGER "ashlar$history$Keyword$reports$$update"
AFTER UPDATE OF "source$order" ON "Keyword$reports"
WHEN OLD."source$" IS NEW."source$" AND OLD."target$" IS NEW."target$" AND (OLD."source$order" IS NOT NEW."source$order")
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (2, NEW."source$", 1, NEW."target$");
END;

CREATE TRIGGER "ashlar$history$Report$$insert"
AFTER INSERT ON "Report"
WHEN (SELECT "pausedEntity" FROM "ashlar$historyState") IS NOT 3
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (CASE NEW."entity$" WHEN 'Feature' THEN 4 ELSE 3 END, NEW."id$", 0, NULL);
END;

CREATE TRIGGER "ashlar$history$Report$$renumber"
AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_", "entity$" ON "Report"
WHEN OLD."id$" IS NOT NEW."id$" OR OLD."entity$" IS NOT NEW."entity$"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (CASE OLD."entity$" WHEN 'Feature' THEN 4 ELSE 3 END, OLD."id$", 2, NULL);
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (CASE NEW."entity$" WHEN 'Feature' THEN 4 ELSE 3 END, NEW."id$", 0, NULL);
END;

CREATE TRIGGER "ashlar$history$Report$$delete"
AFTER DELETE ON "Report"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (CASE OLD."entity$" WHEN 'Feature' THEN 4 ELSE 3 END, OLD."id$", 2, NULL);
END;

CREATE TRIGGER "ashlar$history$Report$$update"
AFTER UPDATE OF "author", "authorKey", "authorName", "keywordsCount", "modified", "modifiedFeature", "price", "publisherName", "rating", "section", "sectionKey", "sectionLabel", "shoutedTitle", "sidebarsCount", "subject", "tariff", "title", "whisperedTitle", "wordCount" ON "Report"
WHEN OLD."id$" IS NEW."id$" AND OLD."entity$" IS NEW."entity$" AND (OLD."author" IS NOT NEW."author"
    OR OLD."authorKey" IS NOT NEW."authorKey"
    OR OLD."authorName" IS NOT NEW."authorName"
    OR OLD."keywordsCount" IS NOT NEW."keywordsCount"
    OR OLD."modified" IS NOT NEW."modified"
    OR OLD."modifiedFeature" IS NOT NEW."modifiedFeature"
    OR OLD."price" COLLATE BINARY IS NOT NEW."price"
    OR OLD."publisherName" IS NOT NEW."publisherName"
    OR OLD."rating" IS NOT NEW."rating"
    OR OLD."section" IS NOT NEW."section"
    OR OLD."sectionKey" IS NOT NEW."sectionKey"
    OR OLD."sectionLabel" IS NOT NEW."sectionLabel"
    OR OLD."shoutedTitle" IS NOT NEW."shoutedTitle"
    OR OLD."sidebarsCount" IS NOT NEW."sidebarsCount"
    OR OLD."subject" IS NOT NEW."subject"
    OR OLD."tariff" COLLATE BINARY IS NOT NEW."tariff"
    OR OLD."title" IS NOT NEW."title"
    OR OLD."whisperedTitle" IS NOT NEW."whisperedTitle"
    OR OLD."wordCount" IS NOT NEW."wordCount")
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (CASE NEW."entity$" WHEN 'Feature' THEN 4 ELSE 3 END, NEW."id$", 1, ((OLD."author" IS NOT NEW."author") << 0)
                | ((OLD."authorKey" IS NOT NEW."authorKey") << 1)
                | ((OLD."authorName" IS NOT NEW."authorName") << 2)
                | ((OLD."keywordsCount" IS NOT NEW."keywordsCount") << 3)
                | ((OLD."modified" IS NOT NEW."modified") << 4)
                | ((OLD."modifiedFeature" IS NOT NEW."modifiedFeature") << 5)
                | ((OLD."price" COLLATE BINARY IS NOT NEW."price") << 6)
                | ((OLD."publisherName" IS NOT NEW."publisherName") << 7)
                | ((OLD."rating" IS NOT NEW."rating") << 8)
                | ((OLD."section" IS NOT NEW."section") << 9)
                | ((OLD."sectionKey" IS NOT NEW."sectionKey") << 10)
                | ((OLD."sectionLabel" IS NOT NEW."sectionLabel") << 11)
                | ((OLD."shoutedTitle" IS NOT NEW."shoutedTitle") << 12)
                | ((OLD."sidebarsCount" IS NOT NEW."sidebarsCount") << 13)
                | ((OLD."subject" IS NOT NEW."subject") << 14)
                | ((OLD."tariff" COLLATE BINARY IS NOT NEW."tariff") << 15)
                | ((OLD."title" IS NOT NEW."title") << 16)
                | ((OLD."whisperedTitle" IS NOT NEW."whisperedTitle") << 17)
                | ((OLD."wordCount" IS NOT NEW."wordCount") << 18));
END;

CREATE TRIGGER "ashlar$history$Sidebar$$insert"
AFTER INSERT ON "Sidebar"
WHEN (SELECT "pausedEntity" FROM "ashlar$historyState") IS NOT 5
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (5, NEW."id$", 0, NULL);
END;

CREATE TRIGGER "ashlar$history$Sidebar$$renumber"
AFTER UPDATE OF "id$", "rowid", "oid", "_rowid_" ON "Sidebar"
WHEN OLD."id$" IS NOT NEW."id$"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (5, OLD."id$", 2, NULL);
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (5, NEW."id$", 0, NULL);
END;

CREATE TRIGGER "ashlar$history$Sidebar$$delete"
AFTER DELETE ON "Sidebar"
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (5, OLD."id$", 2, NULL);
END;

CREATE TRIGGER "ashlar$history$Sidebar$$update"
AFTER UPDATE OF "feature", "featureTitle", "text" ON "Sidebar"
WHEN OLD."id$" IS NEW."id$" AND (OLD."feature" IS NOT NEW."feature"
    OR OLD."featureTitle" IS NOT NEW."featureTitle"
    OR OLD."text" IS NOT NEW."text")
BEGIN
    INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
        VALUES (5, NEW."id$", 1, ((OLD."feature" IS NOT NEW."feature") << 0)
                | ((OLD."featureTitle" IS NOT NEW."featureTitle") << 1)
                | ((OLD."text" IS NOT NEW."text") << 2));
END;
