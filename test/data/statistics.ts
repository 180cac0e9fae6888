import type { StoreName } from "../../data/targets/targets.ts";
import type { Env } from "../../src/env.ts";
import type { TrafficRecord } from "../../src/records/record.ts";
import { gatherStatistics, type Statistics } from "../../src/records/statistics.ts";

/** What the records come to, oldest first. */
export function statisticsOf(records: TrafficRecord[]): Statistics {
  const gathering = gatherStatistics();
  if ([...gathering.pass(records)].length !== records.length) throw new Error("some records do not pass");
  return gathering.statistics();
}

interface Stored {
  version: number;
  count: number;
  text: string;
}

/** All statistics that a store holds, of whatever state, as the worker sees them. */
export async function readStatistics(env: Env, store: StoreName) {
  const stored = store === "d1" ? await readD1(env) : await readKv(env);
  return stored.map(({ version, count, text }) => ({
    state: { version, count },
    statistics: JSON.parse(text) as Statistics,
  }));
}

async function readD1({ DB }: Env): Promise<Stored[]> {
  const query = `
    SELECT version, count, group_concat(text, '' ORDER BY part) AS text FROM statistics GROUP BY version, count`;
  return (await DB.prepare(query).all<Stored>()).results;
}

async function readKv({ KV }: Env): Promise<Stored[]> {
  const { keys } = await KV.list({ prefix: "statistics/" });
  return Promise.all(
    keys.map(async ({ name }) => {
      const [, version, count] = name.split("/").map(Number);
      return { version: version!, count: count!, text: (await KV.get(name))! };
    }),
  );
}
