import { Page, type TrafficRecord } from "../src/records/record.ts";

/** Follows `next` from the first page to the last, and checks each page against the specification. */
export async function walk(origin: string): Promise<TrafficRecord[]> {
  const records: TrafficRecord[] = [];
  const first = `${origin}/api/tf1/records/`;
  let count: number | undefined;
  let previous: string | null = null;
  for (let url: string | null = first, number = 1; url !== null; number++) {
    const response = await fetch(url);
    if (response.status !== 200) throw new Error(`${url} returned ${response.status}`);
    const page: Page = Page.parse(await response.json());
    count ??= page.count;
    const expected = { count, previous, results: Math.min(15, count - records.length) };
    const actual = { count: page.count, previous: page.previous, results: page.results.length };
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      throw new Error(`${url} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
    }
    records.push(...page.results);
    previous = `${first}?format=api&page=${number}`;
    url = page.next;
  }
  return records;
}
