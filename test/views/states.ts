import type { Env } from "../../src/bindings.ts";
import type { TrafficRecord } from "../../src/records/schema.ts";
import { createInstance, createMemoryService, type Instance } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";
import { readSampleData } from "../tools/data/input.ts";

/** A state of the service. What a page says and links to must be true in all of them. */
export interface State {
  name: string;
  /** Oldest first. Undefined if nothing was ever loaded. */
  loaded?: TrafficRecord[];
  sources?: string[];
  settings?: Partial<Env>;
  /** The options with which a client gets the same collection as without options, but no faults. By default, it needs none. */
  prefer?: string;
}

const many = makeRecords(3_000);
const RULES = "code=503,times=1,else,body=cut,times=1,else,rows=drop";

/** A new state is a new row. */
// biome-ignore format: a table of cases
export const STATES: State[] = [
  { name: "the sample data", loaded: await readSampleData(), sources: ["generated"] },
  { name: "nothing loaded" },
  { name: "1 record", loaded: makeRecords(1) },
  { name: "15 records", loaded: makeRecords(15) },
  { name: "16 records", loaded: makeRecords(16) },
  { name: "40 records with days missing", loaded: makeRecords(600).filter((_, index) => index % 384 < 20) },
  { name: "one day of generated records", loaded: makeRecords(100), sources: ["generated"] },
  { name: "an own source and many days", loaded: many, sources: ["counts.csv", "new.csv"] },
  { name: "PREFER=grow", loaded: many, settings: { PREFER: "grow=15/m" } },
  // All 165 hidden records are of the newest day, of which no other record is loaded.
  { name: "PREFER=grow, which hides a whole day, and faults", loaded: makeRecords(15 * 192 + 165), settings: { PREFER: "grow=7/h,fail=0.5" }, prefer: "grow=7/h" },
  { name: "PREFER=none", loaded: makeRecords(40), settings: { PREFER: "none" } },
  { name: "PREFER=code", loaded: makeRecords(40), settings: { PREFER: "code=503" }, prefer: "none" },
  { name: "PREFER with rules", loaded: makeRecords(40), settings: { PREFER: RULES }, prefer: "none" },
  { name: "faults off", loaded: makeRecords(40), settings: { FAULTS: "off", PREFER: "code=503" } },
  { name: "a public origin", loaded: makeRecords(40), settings: { PUBLIC_ORIGIN: "https://public.example" } },
];

/** The time of the faults, at which `grow` hides some records. */
const NOW = Date.UTC(2026, 0, 1, 0, 20);

export async function openState({ loaded, sources, settings = {} }: State): Promise<Instance> {
  const service = await createMemoryService();
  if (loaded) service.load(loaded, sources);
  return createInstance(service.store, { settings, now: () => NOW });
}
