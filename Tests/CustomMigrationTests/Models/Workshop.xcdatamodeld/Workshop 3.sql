INSERT INTO Note (text, part) SELECT note, part FROM carried;
DROP TABLE carried;

/* A label is what used to be made of the name for each print. */
UPDATE Part SET label = 'L;' || name
