-- Up to which moment the removal of old events believes the clock, for all nodes together; and since when, for how long
-- of running, another one is told. It begins with the time of this migration.
CREATE TABLE removal_clock (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  believed_at timestamptz NOT NULL,
  doubted_at timestamptz,
  held_ms bigint NOT NULL DEFAULT 0
);
INSERT INTO removal_clock (believed_at) VALUES (now());
