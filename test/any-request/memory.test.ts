import { test } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import { context, createInstance, createMemoryService } from "../memory-service.ts";
import { makeRecords } from "../records/sample.ts";
import { checkRequests } from "./check-requests.ts";

test.each([
  ["an empty collection", undefined, 2_000],
  ["a large collection", makeRecords(10_000), 18_000],
])("any request for %s in memory gets the expected response", async (_, records, runs) => {
  const { store } = await createMemoryService(records);
  const app = createApp();
  const known = { state: (await store.readState()).state, records: records?.toReversed() ?? [] };
  const open = (settings: Partial<Env>) => {
    const { env } = createInstance(store, { settings });
    return (request: Request) => app.fetch(request, env, context);
  };
  // Several at the same time, because some requests wait.
  await Promise.all([1, 2, 3, 4].map(() => checkRequests(open, known, runs / 4)));
});
