import { expect, test } from "vitest";
import { checkExchanges, PATH, UNAVAILABLE } from "../support/exchange.ts";
import { startWorker } from "../support/worker.ts";

test("without tables in the database, requests for records are 503, and the log has the cause and the place in the code", async () => {
  const worker = await startWorker({ migrate: false });
  await checkExchanges(worker.fetch, { request: PATH, ...UNAVAILABLE });
  const lines = worker.logs().map((line) => JSON.parse(line));
  await worker.close();
  expect(lines).toMatchObject([{ event: "request_failed", store: "d1", path: PATH }]);
  expect(lines[0].reason).toMatch(
    /lacks tables of this version\. Create them with `npm run deploy`, .* `npm start`, .*no such table: snapshot/,
  );
  expect(lines[0].at.join()).toMatch(/index\.js:\d+:\d+/);
});
