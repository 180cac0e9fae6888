-- The collection in blocks that are full and never change, and a state that contains the newest records. Records that were
-- loaded before are discarded: load them again.
DROP VIEW IF EXISTS records;
DROP TABLE IF EXISTS blocks;
DROP TABLE IF EXISTS state;
DROP TABLE IF EXISTS statistics;

-- 150 consecutive records of one load, oldest first: a JSON array with one record per line, each record an array of its values
-- (src/store/blocks.ts). Writes store blocks beside those that are served; readers only see those that the state names.
CREATE TABLE blocks (
  load TEXT NOT NULL,
  first INTEGER NOT NULL, -- the position of its first record: 1, 151, 301, ...
  revision TEXT NOT NULL, -- of the state that the block was written for
  text TEXT NOT NULL,
  PRIMARY KEY (load, first)
) STRICT, WITHOUT ROWID;

-- What is served: always exactly one row. A database into which nothing was loaded is an empty collection.
CREATE TABLE state (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  load TEXT NOT NULL, -- names the load whose blocks are served; empty if nothing was ever loaded
  count INTEGER NOT NULL,
  tail TEXT NOT NULL, -- the newest records, which do not fill a block: lines as in a block
  revision TEXT NOT NULL, -- identifies the content; new with every load and append
  previous TEXT NOT NULL, -- the revisions before, newest first, as a JSON array
  sequence INTEGER NOT NULL, -- grows by one with every load and append
  switched_at TEXT,
  sources TEXT NOT NULL -- where the records come from, as JSON
) STRICT;

INSERT INTO state (only, load, count, tail, revision, previous, sequence, sources) VALUES (1, '', 0, '', '', '[]', 0, '[]');

-- The statistics of a state (src/records/statistics.ts): JSON, cut into parts that fit into one statement each.
CREATE TABLE statistics (
  part INTEGER PRIMARY KEY,
  revision TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

-- The records that are served, as a table for people who use SQL. Each query reads all blocks.
CREATE VIEW records AS
WITH stored AS (
  SELECT first, text FROM state JOIN blocks ON blocks.load = state.load AND first + 149 <= count
  UNION ALL
  SELECT count - count % 150 + 1, '[' || tail || ']' FROM state
)
SELECT
  first + line.key AS position,
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
FROM stored JOIN json_each(stored.text) AS line;
