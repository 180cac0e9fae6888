import { readFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import type { D1Database } from "@cloudflare/workers-types";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Env } from "../src/env.ts";
import { createInstance, type Instance } from "./memory-service.ts";
import { makeNewestFirst } from "./store/reader.ts";
import { loadRecords, openLocalStores } from "./store/stores.ts";

const PAGE = "/api/tf1/records/?page=2";

/**
 * The functions that the runtime calls while something is done, each behind its file. A callback without a name belongs to its function.
 * It is done three times, because on a busy machine the profiler can miss a call, for example of a function that was inlined before.
 */
async function traceFunctions(action: (time: number) => Promise<unknown>): Promise<string[]> {
  const called = [];
  for (const time of [1, 2, 3]) called.push(...(await traceOnce(() => action(time))));
  return [...new Set(called)];
}

async function traceOnce(action: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await action();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result.flatMap(({ url, functions }) => {
    const [, file] = /\/(src\/(?!.*node_modules).+)$/.exec(url) ?? [];
    const called = functions.filter(({ ranges }) => file !== undefined && ranges[0]?.count);
    // The name of a property that is a function, and not called, has a dot.
    const names = called.map(({ functionName }) => functionName).filter((name) => /^\w+$/.test(name));
    return names.map((name) => `${file} ${name}`);
  });
}

/** The names of a column of a table in a section of docs/architecture.md. */
async function readTable(title: string, column: number): Promise<string[]> {
  const text = await readFile("docs/architecture.md", "utf8");
  const [, section = ""] = text.split(`## ${title}\n`);
  const rows = section.split("\n## ")[0]?.match(/^\| \d+ \|.*$/gm) ?? [];
  const names = rows.flatMap((row) => Array.from(row.split("|")[column]?.matchAll(/`([^`]+)`/g) ?? []));
  return [...new Set(names.map(([, name]) => String(name)))].sort();
}

/** An instance whose binding DB is a local database with some records. */
async function createD1Instance(): Promise<Instance> {
  const stores = await openLocalStores();
  const store = stores.open("d1");
  await loadRecords(store, makeNewestFirst(400));
  const all = async (sql: string, parameters: (string | number)[]) => ({
    results: await stores.database.query(sql, parameters, true),
  });
  const prepare = (sql: string) => ({
    bind: (...parameters: (string | number)[]) => ({ all: () => all(sql, parameters) }),
  });
  const DB = { withSession: () => ({ prepare }) } as unknown as D1Database;
  const settings = { STORE: "d1", MEMORY: undefined, DB };
  return createInstance(store, { settings: settings as unknown as Partial<Env> });
}

test("a page takes the paths that docs/architecture.md lists: the first one of an instance, and one that it keeps", async () => {
  // No state becomes too old, however busy the machine is.
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { fetch, forget } = await createD1Instance();
  const first = await traceFunctions((time) => {
    forget();
    // The hash of an origin would be kept.
    return fetch(`https://path-${time}.example${PAGE}`);
  });
  const kept = await traceFunctions(() => fetch(`https://path-3.example${PAGE}`));
  const added = first.filter((called) => !kept.includes(called));
  for (const [title, calls] of Object.entries({ "of a request": kept, "of the first page": added })) {
    const [files, functions] = [0, 1].map((part) => calls.map((called) => called.split(" ")[part]));
    expect(await readTable(`The path ${title}`, 2)).toEqual([...new Set(functions)].sort());
    expect(await readTable(`The path ${title}`, 3)).toEqual([...new Set(files)].sort());
  }
});
