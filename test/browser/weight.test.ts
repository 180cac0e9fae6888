import { gzipSync } from "node:zlib";
import type { Response } from "@playwright/test";
import { inject } from "vitest";
import { expect, test } from "./visit.ts";

/** The maximum sizes of pages with everything that they load, in KiB, compressed in the same way as on the platform. */
test.for([
  ["/", "seed", 12],
  ["/", "decade", 25],
  ["/docs", "seed", 15],
  ["/api/tf1/records/", "seed", 12],
] as const)("%s of the collection %s loads less than %i KiB", async ([path, collection, most], { visit }) => {
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
  expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(most * 1024);
});
