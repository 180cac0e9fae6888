import { beforeAll } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { loadInto, type RunningWorker, useWorker } from "../worker.ts";

export const PATH = "/api/tf1/records/";
export const PAGE = `${PATH}?format=api&page=2`;

export let worker: RunningWorker;

/** Starts a worker with 400 records for the tests of a file. */
export function useMockWorker(): void {
  worker = useWorker();
  beforeAll(async () => void (await loadInto(worker.env, "d1", makeRecords(400))));
}

/** Requests a page with a `Prefer` header. */
export function request(Prefer: string, path = PAGE, init: RequestInit = {}): Promise<Response> {
  return worker.fetch(path, { ...init, headers: { Prefer, ...init.headers } });
}
