import { ROAD_USERS } from "../src/records/road-users.ts";
import type { Statistics } from "../src/records/statistics.ts";
import type { State } from "../src/store/store.ts";
import type { StoreName } from "../tools/configuration.ts";
import { type StoreChoice, useStore } from "../tools/stores/open.ts";

export interface InfoOptions extends StoreChoice {
  json?: boolean | undefined;
}

interface Info {
  state: State;
  statistics: Statistics | undefined;
  bytes: number | undefined;
}

type Line = [name: string, value: string | number];

/**
 * Shows what is loaded, from what the load stored: no record is read. That nothing is loaded is not a failure.
 * @throws Error if the store cannot be read
 */
export async function info(options: InfoOptions): Promise<void> {
  await useStore(options, async ({ name, store, size }) => {
    const state = await store.readState(true);
    const found = { state, statistics: await store.readStatistics(state), bytes: await size() };
    const place = describePlace(name, options);
    if (options.json) console.log(JSON.stringify(toJson(name, options, found)));
    else if (state.version === 0) console.log(`Nothing is loaded in ${place}.`);
    else console.log(layOut([["store", place], ...describe(found)]));
  });
}

function toJson(store: StoreName, { remote = false }: StoreChoice, { state, statistics, bytes }: Info) {
  const { version, count, revision, switchedAt } = state;
  const loaded_at = switchedAt ?? null;
  return {
    store,
    remote,
    version,
    count,
    revision,
    loaded_at,
    bytes: bytes ?? null,
    statistics: statistics ?? null,
  };
}

function describePlace(store: StoreName, { remote, persistTo }: StoreChoice): string {
  if (remote) return `${store}, deployed`;
  return `${store}, on this machine${persistTo ? ` in ${persistTo}` : ""}`;
}

function* describe({ state, statistics, bytes }: Info): Generator<Line> {
  yield ["loaded at", state.switchedAt ?? "not known"];
  yield ["sources", statistics?.sources?.map(({ name }) => name).join(", ") || "not known"];
  yield ["version", state.version];
  yield ["revision", state.revision];
  yield ["size", bytes === undefined ? "not known" : `${(bytes / 1e6).toFixed(1)} MB`];
  yield ["records", state.count];
  if (statistics) yield* describeStatistics(statistics);
}

function* describeStatistics(statistics: Statistics): Generator<Line> {
  const { records, first, last, largest_id, cameras, camera_ok, totals, days } = statistics;
  yield ["first timestamp", first ?? "none"];
  yield ["last timestamp", last ?? "none"];
  yield ["days with records", days.length];
  yield ["cameras", cameras.length];
  yield ["largest id", largest_id ?? "none"];
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
