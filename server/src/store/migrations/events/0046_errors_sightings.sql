-- The writer notes the sightings of a segment that holds errors. A view was asked at every insert, also by the many
-- segments without any, and what a crash kept out of it stayed out.
DROP TABLE IF EXISTS error_sightings_of_events;
