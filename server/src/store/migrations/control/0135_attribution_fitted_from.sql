-- What the data-driven model learnt from: the policy, the people as they were, and the runs of its days.
ALTER TABLE attribution_states ADD COLUMN fitted_from text NOT NULL DEFAULT '';
