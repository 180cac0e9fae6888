import { inject } from "vitest";
import { expect, test } from "./visit.ts";

/** The most that a page may take over the network, compressed, with everything that it loads. */
test.for([
  { path: "/", collection: "seed", most: 15_000 },
  { path: "/", collection: "long", most: 20_000 },
  { path: "/docs", collection: "seed", most: 30_000 },
  { path: "/api/tf1/records/", collection: "seed", most: 15_000 },
] as const)("$path of the $collection collection takes less than $most bytes", async (tested, { visit }) => {
  const { path, collection, most } = tested;
  const page = await visit(collection === "seed" ? {} : { origin: inject("others")[collection] });
  const session = await page.context().newCDPSession(page);
  const urls = new Map<string, string>();
  const bytes = new Map<string, number>();
  session.on("Network.requestWillBeSent", ({ requestId, request }) => urls.set(requestId, request.url));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    bytes.set(new URL(urls.get(requestId) ?? "").pathname, encodedDataLength);
  });
  await session.send("Network.enable");
  await page.goto(path, { waitUntil: "networkidle" });

  expect(bytes.get(path)).toBeGreaterThan(1_000);
  expect([...bytes.keys()].some((name) => name.endsWith(".css"))).toBe(true);
  expect([...bytes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
});
