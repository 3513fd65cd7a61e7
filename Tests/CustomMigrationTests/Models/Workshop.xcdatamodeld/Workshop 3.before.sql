-- The notes of parts become objects of their own.
CREATE TABLE carried (part INTEGER PRIMARY KEY, note TEXT);
INSERT INTO carried (part, note) SELECT id$, note FROM Part WHERE note IS NOT NULL;
