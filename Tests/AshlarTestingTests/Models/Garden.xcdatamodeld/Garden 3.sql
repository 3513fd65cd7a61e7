INSERT INTO Note (text, plant) SELECT remark, plant FROM carried;
DROP TABLE carried;

-- Titles are in capitals now.
UPDATE Bed SET title = upper(title);
