import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createCodeSamples } from "../../src/views/home/code-samples.ts";
import { listen } from "../../tools/package/listen.ts";
import { toReply } from "../../tools/package/respond.ts";
import { createMemoryService } from "../support/memory-service.ts";
import { runData } from "../support/run-command.ts";
import { makeRecords } from "../support/sample-records.ts";
import { createFolder } from "../support/temporary-folder.ts";
import { openState, STATES } from "./states.ts";

/** The faults from the request with this number on, with each form of Retry-After. Page 4 fails twice. */
const FAULTS: Record<number, string> = {
  1: "on=1, code=429, retry-after=1, times=1",
  3: "on=2, code=503, retry-after=date, times=1",
  5: "on=4, code=503, retry-after=none, times=2",
};

/** The command that runs a script, a script that checks its requirements, and the file that the script writes. */
const LANGUAGES = [
  ["Python", ["python3", "-c"], "import pandas, requests", "records.csv"],
  ["JavaScript", [process.execPath, "--input-type=module", "--eval"], "1", "records.jsonl"],
] as const;

/** The states in which a script meets something else than full pages without faults. */
const SPECIAL = STATES.filter(({ loaded = [], settings = {} }) => loaded.length < 2 || "PREFER" in settings);

const loaded = makeRecords(75).map((record, index) => ({
  ...record,
  id: index === 0 ? -Number.MAX_SAFE_INTEGER : record.id + 1_000,
  camera_ref: record.camera_ref === "c94" ? 'c, "94" ü' : record.camera_ref,
}));

for (const [name, [program, ...options], probe, output] of LANGUAGES) {
  const canRun = spawnSync(program, [...options, probe]).status === 0;
  test.runIf(canRun).concurrent(`the script in ${name} waits, and starts again after a load`, async () => {
    const service = await createMemoryService(makeRecords(74), { settings: { PREFER: "none" } });
    const times: number[] = [];
    const server = await listen(
      async ({ url }) => {
        const requests = times.push(performance.now() / 1_000);
        // All records have other ids, so that a mixture of both loads would have more of them.
        if (requests === 5) service.load(loaded);
        service.env.PREFER = FAULTS[requests] ?? service.env.PREFER ?? "";
        return toReply(await service.fetch(url));
      },
      { port: 0 },
    );
    const code = createCodeSamples(`${server.url}/api/tf1/records/`)[name];
    // A client that changes the URL still retries the requests for the next pages.
    const changed = code.replace("/records/", "/records/?test=1");
    const cwd = createFolder();
    await promisify(execFile)(program, [...options, changed], { cwd });
    await server.close();
    // Two pages before the load, one that shows it, five pages, and four errors. If Retry-After is missing, a script may send its second attempt immediately, but not its third.
    const waits = times.slice(1).map((time, index) => time - times[index]!);
    expect(waits).toHaveLength(11);
    expect(Math.min(waits[0]!, waits[2]! / 2, waits[9]! / 2), waits.join()).toBeGreaterThan(0.95);
    const ids = loaded.map(({ id }) => id);
    const file = join(cwd, output);
    expect((await readIds(file)).sort()).toEqual(ids.sort());
    const printed = await runData(["load", file, "--strict", "--persist-to", cwd]);
    expect(printed).toEqual({ status: 0, stdout: "Loaded 75 records.\n", stderr: "" });
  });

  test.runIf(canRun).for(SPECIAL)(`the script in ${name} reads all records with $name`, async (state) => {
    const instance = await openState(state);
    const server = await listen(async ({ url }) => toReply(await instance.fetch(url)), { port: 0 });
    const { count, records_url_without_faults } = await (await fetch(server.url)).json();
    const code = createCodeSamples(records_url_without_faults)[name];
    const cwd = createFolder();
    await promisify(execFile)(program, [...options, code], { cwd });
    await server.close();
    expect(new Set(await readIds(join(cwd, output))).size).toBe(count);
  });
}

/** Reads the ids from the file that a script wrote. */
async function readIds(file: string): Promise<number[]> {
  const [first = "", ...lines] = (await readFile(file, "utf8")).trimEnd().split("\n");
  if (["", '""'].includes(first)) return [];
  if (first.startsWith("{")) return [first, ...lines].map((line) => JSON.parse(line).id);
  expect(first).toMatch(/^id,camera_pk,camera_ref,timestamp,camera_ok,cars,/);
  return lines.map((line) => Number(line.split(",")[0]));
}
