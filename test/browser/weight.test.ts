import { expect, test } from "./visit.ts";

const MOST_BYTES = 60_000;

test.for(["/", "/api/tf1/records/"])(
  "%s takes less than 60 KB without the charts",
  async (path, { visit }) => {
    const page = await visit();
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
    expect(bytes.get("/assets/site.css")).toBeGreaterThan(1_000);
    bytes.delete("/assets/chart.js");
    expect([...bytes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  },
);
