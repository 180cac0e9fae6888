import { test } from "vitest";
import { createApp } from "../../src/app.ts";
import { context, createInstance, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { checkRequests } from "./check-requests.ts";

test.each([
  ["an empty collection", undefined, 2_000],
  ["a large collection", makeRecords(10_000), 18_000],
])("any request for %s in memory gets the expected response", async (_, records, runs) => {
  const { store } = await createMemoryService(records);
  const app = createApp();
  const state = await store.readState();
  await checkRequests(
    (settings) => {
      const { env } = createInstance(store, { settings });
      return (request) => app.fetch(request, env, context);
    },
    { state, records: records?.toReversed() ?? [] },
    runs,
  );
});
