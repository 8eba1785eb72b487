-- A site takes the currency of the first amount that arrives; until then it has none.
ALTER TABLE sites ALTER COLUMN currency DROP NOT NULL;
