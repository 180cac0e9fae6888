import { gzipSync } from "node:zlib";
import type { Response } from "@playwright/test";
import { inject } from "vitest";
import { expect, test } from "./visit.ts";

/** The maximum size of a page with everything that it loads, compressed in the same way as on the platform. */
const MOST_BYTES = 12 * 1024;

test.for([
  ["/", "seed"],
  ["/", "decade"],
  ["/docs", "seed"],
  ["/api/tf1/records/", "seed"],
] as const)("%s of the collection %s loads less than 12 KiB", async ([path, collection], { visit }) => {
  const page = await visit(collection === "seed" ? {} : { origin: inject("others")[collection] });
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await page.goto(path, { waitUntil: "networkidle" });

  const sizes = await Promise.all(
    responses.map(async (response): Promise<[string, number]> => {
      return [new URL(response.url()).pathname, gzipSync(await response.body()).length];
    }),
  );
  const [first, ...others] = sizes;
  expect(first).toEqual([path, expect.toSatisfy((size: number) => size > 1_000)]);
  expect(others.some(([name]) => name.endsWith(".css"))).toBe(true);
  expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(MOST_BYTES);
});
