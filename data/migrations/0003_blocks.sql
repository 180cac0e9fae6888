-- The collection in blocks of 600 records, in place of a row for each record. Records that were loaded before are
-- discarded: load them again.
DROP TABLE IF EXISTS records;
DROP TABLE IF EXISTS state;
DROP TABLE IF EXISTS statistics;

-- Consecutive records of one version (one load), oldest first: a JSON array with one record per line, each record an
-- array of its values (src/store/blocks.ts). A load writes its version beside the current one; readers only see the
-- version and the count that the state names.
CREATE TABLE blocks (
  version INTEGER NOT NULL,
  first INTEGER NOT NULL, -- the position of its first record: 1, 601, 1201, ...
  revision TEXT NOT NULL, -- of the state that the block was written for
  text TEXT NOT NULL,
  PRIMARY KEY (version, first)
) STRICT, WITHOUT ROWID;

-- What is served: always exactly one row. A database into which nothing was loaded is an empty collection.
CREATE TABLE state (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  version INTEGER NOT NULL,
  count INTEGER NOT NULL,
  revision TEXT NOT NULL, -- identifies the content; new with every load and append
  previous TEXT NOT NULL, -- the revision before
  switched_at TEXT,
  sources TEXT -- where the records come from, as JSON; null if it was not recorded
) STRICT;

INSERT INTO state (only, version, count, revision, previous) VALUES (1, 0, 0, '', '');

-- The statistics of a state (src/records/statistics.ts): JSON, cut into parts that fit into one statement each.
CREATE TABLE statistics (
  revision TEXT NOT NULL,
  part INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (revision, part)
) STRICT;

-- The records that are served, as a table for people who use SQL. Each query reads all blocks.
CREATE VIEW records AS
SELECT
  blocks.first + line.key AS position,
  line.value ->> 0 AS id,
  line.value ->> 1 AS camera_pk,
  line.value ->> 2 AS camera_ref,
  line.value ->> 3 AS timestamp,
  line.value ->> 4 AS camera_ok,
  line.value ->> 5 AS cars,
  line.value ->> 6 AS persons,
  line.value ->> 7 AS bicycles,
  line.value ->> 8 AS trucks,
  line.value ->> 9 AS motorcycles,
  line.value ->> 10 AS buses,
  'tf1' AS model_name
FROM state
JOIN blocks ON blocks.version = state.version
JOIN json_each(blocks.text) AS line
WHERE blocks.first + line.key <= state.count;
