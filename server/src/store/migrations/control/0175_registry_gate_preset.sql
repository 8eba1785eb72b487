-- Whether unregistered events are counted (learning) or quarantined (strict). A workspace without a row learns.
ALTER TABLE gate_severities
  ADD COLUMN preset text NOT NULL DEFAULT 'learning' CHECK (preset IN ('learning', 'strict'));
