-- What every node of an installation must share: hash seeds, signing secrets.
CREATE TABLE installation (
  name text PRIMARY KEY,
  value text NOT NULL
);
