-- What the records of a state come to (src/records/statistics.ts): JSON, cut into parts that one statement can hold.
-- Written before the state names its version and count, removed with them. A collection that was loaded before this
-- table existed has none.
CREATE TABLE statistics (
  version INTEGER NOT NULL,
  count INTEGER NOT NULL,
  part INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (version, count, part)
) STRICT;
