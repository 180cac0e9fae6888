import { ROAD_USERS } from "../records/record.ts";
import type { Faults, RandomSource } from "./decision.ts";
import type { OptionName } from "./options.ts";

type Fields = Record<string, unknown>;

interface Envelope extends Fields {
  count: number;
  next: string | null;
  results: Fields[];
}

/** Changes the content of a page, and returns the changed page with the faults that could be applied to it. */
export async function changePage(
  response: Response,
  { rows, count, next, record }: Faults,
  random: RandomSource,
): Promise<[Response, OptionName[]]> {
  if ((rows ?? count ?? next ?? record) === undefined) return [response, []];
  const page: Envelope = JSON.parse(await response.text());
  const applied: OptionName[] = [];
  if (rows && changeRows(page, rows, random("rows"))) applied.push("rows");
  if (count) applied.push("count");
  if (next && changeNext(page, next)) applied.push("next");
  if (record && changeRecord(page, record, random("record"))) applied.push("record");
  page.count += count ?? 0;
  return [new Response(JSON.stringify(page), response), applied];
}

/** @returns false if there is no next page */
function changeNext(page: Envelope, fault: NonNullable<Faults["next"]>): boolean {
  const { next } = page;
  if (next === null) return false;
  // Changes only the page number, so that the rest of the link stays as it was written.
  const move = (step: number) =>
    next.replace(/([?&]page=)(\d+)/, (_, name, page) => `${name}${Number(page) + step}`);
  const changes: Record<typeof fault, string | null> = { loop: move(-1), null: null, skip: move(1) };
  page.next = changes[fault];
  return true;
}

/** @returns false if the page has too few records, or if all have the same timestamp */
function changeRows({ results }: Envelope, fault: NonNullable<Faults["rows"]>, random: number): boolean {
  const index = Math.floor(random * results.length);
  if (results.length < 2) return false;
  const changes: Record<typeof fault, () => boolean> = {
    repeat: () => results.splice(index, 1, { ...results.at(index - 1) }).length > 0,
    drop: () => results.splice(index, 1).length > 0,
    swap: () => swapRows(results, random),
  };
  return changes[fault]();
}

/** Swaps two neighbours that have different timestamps. */
function swapRows(results: Fields[], random: number): boolean {
  const positions = results.flatMap(({ timestamp }, index) =>
    index > 0 && timestamp !== results[index - 1]?.timestamp ? [index] : [],
  );
  const position = positions[Math.floor(random * positions.length)];
  if (position === undefined) return false;
  results.splice(position - 1, 2, ...results.slice(position - 1, position + 1).reverse());
  return true;
}

/** @returns false if the page has no records */
function changeRecord({ results }: Envelope, fault: NonNullable<Faults["record"]>, random: number): boolean {
  const choice = Math.floor(random * results.length * ROAD_USERS.length);
  const field = ROAD_USERS[choice % ROAD_USERS.length] ?? "cars";
  const record = results[Math.floor(choice / ROAD_USERS.length)];
  if (record === undefined) return false;
  const changes: Record<typeof fault, Fields> = {
    float: { [field]: Number(record[field]) + 0.5 },
    null: { [field]: null },
    missing: { [field]: undefined },
    extra: { vans: 0 },
    offset: { timestamp: String(record.timestamp).replace("Z", "+00:00") },
  };
  Object.assign(record, changes[fault]);
  return true;
}

const DAY_MS = 86_400_000;

/**
 * How many of the newest records a collection that grows by the clock hides. It begins with half of what is loaded, or with what is
 * missing for a day of growth if that is more, grows until everything is shown, and then begins again. This depends on
 * nothing but the time, so every instance shows the same.
 * @param total how many records are loaded
 * @param interval milliseconds from one record to the next
 * @param now milliseconds since 1970-01-01 UTC
 */
export function countHidden(total: number, interval: number, now: number): number {
  const steps = Math.min(Math.floor(total / 2), Math.floor(DAY_MS / interval));
  return steps === 0 ? 0 : steps - 1 - (Math.floor(now / interval) % steps);
}
