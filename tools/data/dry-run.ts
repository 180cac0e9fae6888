import { escapeInvisible, formatCount } from "../../data/formatting.ts";
import type { Staged } from "../../data/staging.ts";
import type { Statistics } from "../../src/records/statistics.ts";

/** Cameras that are named; any more are only counted. */
const MAX_NAMED_CAMERAS = 10;

/**
 * Describes what the served collection would become, without writing anything.
 * @param before the statistics of what is loaded
 */
export function describeChange(staged: Staged, before: Statistics): string {
  const after = staged.statistics();
  const change = (name: "first" | "last") => `${before[name] ?? "none"} -> ${after[name] ?? "none"}`;
  const [old, current] = [new Set(cameraNames(before)), new Set(cameraNames(after))];
  return [
    "Nothing was written. The command would change what is loaded:",
    `records          ${before.records} -> ${after.records}`,
    `first timestamp  ${change("first")}`,
    `last timestamp   ${change("last")}`,
    `cameras          ${old.size} -> ${current.size}`,
    `new cameras      ${listNames(without(current, old))}`,
    `gone cameras     ${listNames(without(old, current))}`,
  ].join("\n");
}

/** A camera is one with the same `camera_pk` and `camera_ref`. */
function cameraNames(statistics: Statistics): string[] {
  return statistics.cameras.map(([pk, ref]) => `${escapeInvisible(ref)} (${pk})`);
}

function without(names: Set<string>, others: Set<string>): string[] {
  return [...names].filter((name) => !others.has(name));
}

function listNames(names: string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - MAX_NAMED_CAMERAS;
  const named = names.slice(0, MAX_NAMED_CAMERAS).join(", ");
  return more > 0 ? `${named} and ${formatCount(more, "other")}` : named;
}
