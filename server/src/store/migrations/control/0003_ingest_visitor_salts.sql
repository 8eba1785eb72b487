-- Days as text, so that a day is the same everywhere; rows are deleted when their day is over.
CREATE TABLE visitor_salts (
  day text PRIMARY KEY,
  salt text NOT NULL
);
