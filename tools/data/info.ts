import { escapeInvisible } from "../../data/messages.ts";
import type { StoreChoice, StoreName } from "../../data/stores/configuration.ts";
import { useStore } from "../../data/stores/open.ts";
import { ROAD_USERS } from "../../src/records/record.ts";
import type { Statistics } from "../../src/records/statistics.ts";
import { readStatistics } from "../../src/store/block.ts";
import type { State } from "../../src/store/state.ts";

export interface InfoOptions extends StoreChoice {
  json?: boolean | undefined;
}

interface Info {
  state: State;
  statistics: Statistics;
}

type Line = [name: string, value: string | number];

/**
 * Shows what is loaded, from what the load stored; no record is read. That nothing is loaded is not a failure.
 * @throws Error if the store cannot be read
 */
export async function info(options: InfoOptions): Promise<void> {
  await useStore(options, async ({ name, store }) => {
    const reading = await store.readState(0, true);
    const { state } = reading;
    const found = { state, statistics: await readStatistics(store, reading) };
    const place = describePlace(name, options);
    if (options.json) console.log(JSON.stringify(toJson(name, options, found)));
    else if (state.load === "") console.log(`Nothing is loaded in ${place}.`);
    else console.log(layOut([["store", place], ...describe(found)]));
  });
}

function toJson(store: StoreName, { remote = false }: StoreChoice, found: Info) {
  const { state, statistics } = found;
  return { store, remote, ...state, statistics };
}

function describePlace(store: StoreName, { remote, persistTo }: StoreChoice): string {
  if (remote) return `${store}, deployed`;
  return `${store}, on this machine${persistTo ? ` in ${persistTo}` : ""}`;
}

function* describe({ state, statistics }: Info): Generator<Line> {
  yield ["loaded at", state.loaded_at ?? "not known"];
  yield ["sources", describeSources(statistics)];
  yield ["load", state.load];
  yield ["records", state.count];
  yield* describeStatistics(statistics, state.count);
}

function describeSources({ sources, source_count }: Statistics): string {
  const names = sources.map(escapeInvisible).join(", ");
  if (source_count > sources.length) return `${names}, and ${source_count - sources.length} more`;
  return names || "not known";
}

function* describeStatistics(statistics: Statistics, records: number): Generator<Line> {
  const { first, last, cameras, totals, days } = statistics;
  const failing = days.reduce((sum, [, , count]) => sum + count, 0);
  const unknown = days.reduce((sum, [, , , count]) => sum + count, 0);
  const camera_ok = { True: records - failing - unknown, False: failing, null: unknown };
  yield ["first timestamp", first ?? "none"];
  yield ["last timestamp", last ?? "none"];
  yield ["days with records", days.length];
  yield ["cameras", cameras.length];
  for (const health of ["True", "False", "null"] as const)
    yield [`camera_ok ${health}`, `${camera_ok[health]} (${share(camera_ok[health], records)})`];
  for (const name of ROAD_USERS) yield [name, totals[name]];
}

function share(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}

function layOut(lines: Line[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}
