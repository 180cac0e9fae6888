import { CLASSES } from "../src/records/classes.ts";
import type { Statistics } from "../src/records/statistics.ts";
import { askStore } from "./ask-store.ts";
import type { Loaded } from "./targets/target.ts";
import { chooseStore, type StoreChoice, type StoreName, targets } from "./targets/targets.ts";

export interface InfoOptions extends StoreChoice {
  json?: boolean | undefined;
}

type Line = [name: string, value: string | number];

/**
 * Says what is loaded, from what the load stored: no record is read. That nothing is loaded is an answer too, and no
 * failure.
 * @throws if the store cannot be read
 */
export async function info(options: InfoOptions): Promise<void> {
  const store = await chooseStore(options);
  const loaded = await askStore(targets[store], options);
  const place = { store, remote: options.remote ?? false };
  if (options.json) console.log(JSON.stringify({ ...place, ...toJson(loaded) }));
  else if (!loaded) console.log(`Nothing is loaded in ${describePlace(store, options)}.`);
  else console.log(layOut([["store", describePlace(store, options)], ...describe(loaded)]));
}

function toJson(loaded: Loaded | undefined) {
  return {
    ...(loaded?.state ?? { version: 0, count: 0 }),
    loaded_at: loaded?.loadedAt ?? null,
    bytes: loaded?.bytes ?? null,
    statistics: loaded?.statistics ?? null,
  };
}

function describePlace(store: StoreName, { remote, persistTo }: StoreChoice): string {
  if (remote) return `${store}, deployed`;
  return `${store}, on this machine${persistTo ? ` in ${persistTo}` : ""}`;
}

function* describe({ state, loadedAt, statistics, bytes }: Loaded): Generator<Line> {
  yield ["loaded at", loadedAt ?? "not known"];
  yield ["version", state.version];
  yield ["size", bytes === undefined ? "not known" : `${(bytes / 1e6).toFixed(1)} MB`];
  yield ["records", state.count];
  if (statistics) yield* describeStatistics(statistics);
  else yield ["statistics", "none, since it was loaded before loads stored them: load it again"];
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
  for (const name of CLASSES) yield [name, totals[name]];
}

function share(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}

function layOut(lines: Line[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}
