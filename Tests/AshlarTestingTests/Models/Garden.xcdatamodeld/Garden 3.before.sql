-- The remarks on plants become objects of their own.
CREATE TABLE carried (plant INTEGER PRIMARY KEY, remark TEXT);
INSERT INTO carried (plant, remark) SELECT id$, remark FROM Plant WHERE remark <> '-';
