-- How the answer of a query is shown; null where that is left to its dimensions.
ALTER TABLE reports ADD COLUMN view text;
