import { escapeInvisible } from "../../src/escape.ts";
import { ROAD_USERS } from "../../src/records/road-users.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { readStatistics, type Statistics } from "../../src/store/stored-statistics.ts";
import { print } from "../command-line/print.ts";
import { formatCount } from "../messages.ts";
import type { StoreChoice } from "./stores/configuration.ts";
import { withStore } from "./stores/open-store.ts";

interface InfoOptions extends StoreChoice {
  json?: boolean | undefined;
}

type Line = [name: string, value: string | number];

/**
 * Shows the current snapshot and its statistics, without reading records. An empty store is not an error.
 * @throws Error if the store cannot be read
 */
export async function info(options: InfoOptions): Promise<void> {
  await withStore(options, "read", async ({ name, location, store }) => {
    const { snapshot } = await store.readCurrent();
    const previous = snapshot.id === null ? undefined : await store.readPrevious();
    const statistics = await readStatistics(store, snapshot);
    const { remote = false, json } = options;
    if (json)
      print(JSON.stringify({ store: name, remote, snapshot, previous: previous ?? null, statistics }));
    else if (snapshot.id === null) print(`Nothing is loaded in the ${name} store (${location}).`);
    else
      print(alignLines([["store", `${name} (${location})`], ...listLines(snapshot, previous, statistics)]));
  });
}

/** Formats a snapshot for a sentence: `40 records of counts.csv, loaded at 2026-11-01T00:00:00.000Z`. */
export function formatSnapshot({ count, source, loaded_at }: Snapshot): string {
  const sources = decodeURIComponent(source) || "unknown sources";
  return `${formatCount(count, "record")} of ${sources}, loaded at ${loaded_at ?? "an unknown time"}`;
}

function listLines(current: Snapshot, previous: Snapshot | undefined, statistics: Statistics): Line[] {
  const { loaded_at, id, count } = current;
  const { first, last, cameras, totals, days } = statistics;
  const failing = days.reduce((sum, [, , ofDay]) => sum + ofDay, 0);
  const unknown = days.reduce((sum, [, , , ofDay]) => sum + ofDay, 0);
  const roadUsers = days.reduce((sum, [, , , , ofDay]) => sum + ofDay, 0);
  const mean = (roadUsers / Math.max(1, count - failing)).toFixed(1);
  const share = (part: number) => `${part} (${((100 * part) / Math.max(1, count)).toFixed(1)} %)`;
  return [
    ["loaded at", loaded_at ?? "unknown"],
    ["sources", listSources(statistics)],
    ["snapshot", id],
    ["undo restores", previous ? formatSnapshot(previous) : "nothing"],
    ["records", count],
    ["first timestamp", first ?? "none"],
    ["last timestamp", last ?? "none"],
    ["days with records", days.length],
    ["cameras", cameras],
    ["camera_ok True", share(count - failing - unknown)],
    ["camera_ok False", share(failing)],
    ["camera_ok null", share(unknown)],
    ["mean road users", `${mean} per record, without camera_ok False`],
    ...ROAD_USERS.map((name): Line => [name, totals[name]]),
  ];
}

function listSources({ sources, source_count }: Statistics): string {
  const names = sources.join(", ");
  if (source_count > sources.length) return `${names}, and ${source_count - sources.length} more`;
  return names || "unknown";
}

function alignLines(lines: Line[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${escapeInvisible(String(value))}`).join("\n");
}
