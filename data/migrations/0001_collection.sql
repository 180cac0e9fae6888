-- The blocks of snapshots: their records and statistics. The id of a snapshot is never reused.
CREATE TABLE block (
  snapshot TEXT NOT NULL,
  number INTEGER NOT NULL, -- 1, 2, ... for the records, newest first; 0, -1, ... for the statistics, whose first line is the number of these blocks
  text TEXT NOT NULL, -- up to 195 records, newest first: a JSON array with one record per line, each an array of its values
  PRIMARY KEY (snapshot, number)
) STRICT, WITHOUT ROWID;

-- The snapshot that is served, and the one that it has replaced, which an undo makes current again. Both have all their blocks.
CREATE TABLE snapshot (
  role TEXT PRIMARY KEY CHECK (role IN ('current', 'previous')),
  id TEXT, -- null if nothing was ever loaded
  count INTEGER NOT NULL CHECK (count >= 0),
  loaded_at TEXT,
  source TEXT NOT NULL, -- the source of the records
  format INTEGER NOT NULL -- of the blocks: FORMAT in src/store/snapshot.ts
) STRICT, WITHOUT ROWID;

INSERT INTO snapshot (role, count, source, format) VALUES ('current', 0, '', 1);

-- The current records as a table, for queries in SQL. Each query reads all blocks.
CREATE VIEW records AS
SELECT
  195 * (block.number - 1) + line.key + 1 AS position,
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
FROM snapshot JOIN block ON block.snapshot = snapshot.id AND block.number > 0 JOIN json_each(block.text) AS line
WHERE snapshot.role = 'current';
