-- The records of every version, numbered from the oldest (1) to the newest (the version's count).
-- A load writes its version beside the current one; readers only ever see the version that the state names.
CREATE TABLE records (
  version INTEGER NOT NULL,
  position INTEGER NOT NULL,
  id INTEGER NOT NULL,
  camera_pk INTEGER NOT NULL,
  camera_ref TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  camera_ok TEXT CHECK (camera_ok IN ('True', 'False')),
  cars INTEGER NOT NULL,
  persons INTEGER NOT NULL,
  bicycles INTEGER NOT NULL,
  trucks INTEGER NOT NULL,
  motorcycles INTEGER NOT NULL,
  buses INTEGER NOT NULL,
  PRIMARY KEY (version, position)
) STRICT, WITHOUT ROWID;

-- The current state: always exactly one row. A database where nothing was loaded is an empty collection.
CREATE TABLE state (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  version INTEGER NOT NULL,
  count INTEGER NOT NULL,
  loaded_at TEXT
) STRICT;

INSERT INTO state (only, version, count) VALUES (1, 0, 0);
