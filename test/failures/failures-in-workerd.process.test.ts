import { expect, test } from "vitest";
import { BLOCK_SIZE } from "../../src/store/block.ts";
import { bundleWorker } from "../bundled-worker.ts";
import { openSocket } from "../free-port.ts";
import { checkExchanges, PATH } from "../http-suite/exchange.ts";
import { makeRecords } from "../records/sample.ts";
import { loadInto, startWorker } from "../worker.ts";

test("without tables in the database, requests for records are 503, and the log has the cause and the place in the code", async () => {
  const worker = await startWorker({ migrate: false });
  await checkExchanges(worker.fetch, {
    send: PATH,
    status: 503,
    body: /^{"detail":"Service temporarily unavailable, /,
  });
  const lines = worker.logs().map((line) => JSON.parse(line));
  await worker.close();
  expect(lines).toMatchObject([{ event: "request_failed", store: "d1", path: PATH }]);
  expect(lines[0].reason).toMatch(
    /has no tables\. Create them with `npm run deploy`, .* `npm start -- OPTIONS`, .*no such table: state/,
  );
  expect(lines[0].at.join()).toMatch(/index\.js:\d+:\d+/);
});

test("if the first client disconnects, the others get the page from the same read, and no later request hangs", async () => {
  const script = await bundleWorker("test/failures/gated-worker.ts");
  const { origin, env, close } = await startWorker({ script, vars: { STORE: "kv" } });
  await loadInto(env, "kv", makeRecords(2 * BLOCK_SIZE));
  const fetchPage = (page: number) => fetch(`${origin}${PATH}?page=${page}`);
  const readCounts = async () => (await fetch(`${origin}/counts`)).json();
  const first = await openSocket(origin, `GET ${PATH}?page=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await expect.poll(readCounts).toEqual({ requests: 1, reads: 1 });
  const others = Array.from({ length: 20 }, () => fetchPage(1));
  await expect.poll(readCounts).toEqual({ requests: 21, reads: 1 });
  first.resetAndDestroy();
  await fetch(`${origin}/open`);
  const bodies = await Promise.all((await Promise.all(others)).map((response) => response.text()));
  expect(await readCounts(), "reads of the state and the block").toEqual({ requests: 21, reads: 2 });
  expect([(await fetchPage(1)).status, (await fetchPage(15)).status]).toEqual([200, 200]);
  await close();
  for (const body of bodies) expect(JSON.parse(body).results).toHaveLength(15);
});
