-- A part of one file takes half the processor time to write: `events` has a hundred columns, and each would be a file
-- of its own, synced on its own. A segment of the log is smaller than this; what merges make of several is not, and
-- has a file for each column, as reads like it.
ALTER TABLE events MODIFY SETTING min_bytes_for_wide_part = 33554432;
