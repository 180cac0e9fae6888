import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { makeRecords } from "../records/sample.ts";
import { untilServed, useService } from "../serve.ts";
import { createFolder } from "../temporary-folder.ts";
import { appendTo, loadInto, startWorker, useWorker } from "../worker.ts";
import { openFront } from "./front.ts";

interface Run {
  status: number;
  output: string;
  failed: number;
  passed: number;
  skipped: number;
}

/** Runs what `npm run test:live` runs to its end. */
function runLive(baseUrl?: string): Promise<Run> {
  const { BASE_URL: _, VITEST: __, ...env } = process.env;
  const options = { env: { ...env, NO_COLOR: "1", ...(baseUrl === undefined ? {} : { BASE_URL: baseUrl }) } };
  return new Promise((resolve) => {
    execFile(process.execPath, ["test/live/cli.ts"], options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      const tests = /^ +Tests +(.*)$/m.exec(output)?.[1] ?? "";
      const number = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(tests)?.[1] ?? 0);
      const counts = { failed: number("failed"), passed: number("passed"), skipped: number("skipped") };
      resolve({ status: error ? Number(error.code) : 0, output, ...counts });
    });
  });
}

describe("the seed, as npm start serves it", () => {
  const served = useService(createFolder());

  test("passes, nothing skipped", async () => {
    const { status, failed, passed, skipped, output } = await runLive(served.origin);
    expect([status, failed, skipped], output).toEqual([0, 0, 0]);
    expect(passed).toBeGreaterThan(80);
  });
});

describe("a collection that is small, hidden, or growing", () => {
  const records = makeRecords(2_000);
  const worker = useWorker();

  test("an empty one passes, and it is said what is skipped and why", async () => {
    const { status, failed, passed, skipped, output } = await runLive(worker.origin);
    expect([status, failed], output).toEqual([0, 0]);
    expect(passed).toBeGreaterThan(60);
    expect(skipped).toBeGreaterThan(5);
    expect(output).toContain("needs 2 pages, and the collection has 0 records");
  });

  test("one that grows passes, behind what compresses, adds headers and limits", async () => {
    const begun = records.slice(0, 100);
    let state = await loadInto(worker.env, "d1", begun);
    await untilServed(worker.origin);
    const front = await openFront(worker.origin, { refuseEvery: 40 });
    let grows = true;
    const growing = (async () => {
      for (let count = begun.length; grows && count < records.length; count++) {
        state = await appendTo(worker.env, [records[count]!]);
        await setTimeout(20);
      }
    })();
    const { status, failed, skipped, output } = await runLive(front.origin);
    grows = false;
    await growing;
    await front.close();
    expect([status, failed, skipped], output).toEqual([0, 0, 0]);
    expect(front.counters.refused).toBeGreaterThan(1);
    expect(state.count).toBeGreaterThan(begun.length + 20);
  });

  test.each<[string, (text: string) => string, RegExp]>([
    [
      "a field is missing",
      (text) => text.replaceAll(/"buses":\d+,/g, ""),
      /must have required property 'buses'/,
    ],
    [
      "pages link to another host",
      (text) => text.replaceAll("http://127.0.0.1", "http://inside"),
      /http:\/\/inside/,
    ],
    ["records are oldest first", (text) => reverseResults(text), /toEqual|to deeply equal/],
  ])("fails where %s", async (_, change, problem) => {
    await loadInto(worker.env, "d1", records.slice(0, 100));
    await untilServed(worker.origin);
    const front = await openFront(worker.origin, {
      doctor: (answer) => ({ ...answer, body: Buffer.from(change(answer.body.toString())) }),
    });
    const { status, failed, output } = await runLive(front.origin);
    await front.close();
    expect(status).toBe(1);
    expect(failed).toBeGreaterThan(0);
    expect(output).toMatch(problem);
  });
});

function reverseResults(text: string): string {
  if (!text.startsWith('{"count"')) return text;
  const { results, ...links } = JSON.parse(text);
  return JSON.stringify({ ...links, results: results.toReversed() });
}

test("fails where the store fails", async () => {
  const worker = await startWorker({ migrate: false });
  const { status, failed, output } = await runLive(worker.origin);
  await worker.close();
  expect([status, failed > 0]).toEqual([1, true]);
  expect(output).toMatch(/expected 503 to be 200/);
});

test("without a deployment to test, the exit status is 2", async () => {
  const { status, output } = await runLive();
  expect(status).toBe(2);
  expect(output).toMatch(/needs a deployment to test: BASE_URL=https:\/\/counts.example npm run test:live$/m);
});
