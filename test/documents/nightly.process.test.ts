import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { listCodeBlocks } from "../support/documentation.ts";
import { PATH } from "../support/exchange.ts";
import { makeRecords } from "../support/sample-records.ts";
import { useWorker } from "../support/worker.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";

const [SCRIPT = ""] = listCodeBlocks("docs/deploying.md", "sh").filter((block) =>
  block.includes("--min-records"),
);
const hasPython = spawnSync("python3", ["-c", "import zoneinfo"]).status === 0;

const { folder, run, write } = createDataFolder();
beforeAll(async () => {
  mkdirSync(join(folder, "days"));
  await run("load", await write("earlier.csv", makeRecords(1)));
});

const served = useWorker({ folder });
const HEADER = "site,time,cars,bikes\n";

/** The days whose tables are in the folder, by the name of the file. */
function writeDay(name: string, content: string): void {
  writeFileSync(join(folder, "days", name), content);
}

/** Runs the script of the documentation with a local store, whose pages are checked at an address. */
async function runScript(checkedOrigin: string): Promise<unknown> {
  const isServed = `curl -s ${served.origin}${PATH} | grep "count.:$(($(wc -l < records.csv) - 1)),"`;
  const script = SCRIPT.replaceAll("--remote", `--persist-to ${folder}`)
    // The time until the load is visible.
    .replace("sleep 10", `until ${isServed}; do sleep 0.1; done`)
    .replaceAll(/\b(days\/|records\.csv)/g, `${folder}/$1`)
    .replaceAll("https://counts.example", checkedOrigin);
  const [status] = await once(spawn("sh", ["-c", script], { stdio: "ignore" }), "close");
  const [, count] = /^records +(\d+)$/m.exec((await run("info")).stdout) ?? [];
  return { status, count: Number(count) };
}

test.runIf(hasPython)(
  "the nightly script loads what is right, undoes a load that breaks a rule, and keeps the old records otherwise",
  async () => {
    writeDay("1.csv", `${HEADER}A,2025-01-02 03:00,1,1\nB,2025-01-02 03:00,1,1\n`);
    expect(await runScript(served.origin)).toEqual({ status: 0, count: 2 });
    writeDay("2.csv", `${HEADER}A,2025-01-03 03:00,many,1\n`);
    expect(await runScript(served.origin)).toEqual({ status: 1, count: 2 });
    writeDay("2.csv", `${HEADER}A,2025-01-03 03:00,1,1\n`);
    const broken = createServer((_, response) => response.end("{}")).listen(0);
    await once(broken, "listening");
    const { port } = broken.address() as AddressInfo;
    expect(await runScript(`http://localhost:${port}`)).toEqual({ status: 1, count: 2 });
    broken.close();
    expect(await runScript("http://localhost:1"), "the check cannot run").toEqual({ status: 2, count: 3 });
    writeDay("1.csv", `${HEADER}A,2025-01-02 03:00,1,1\n`);
    rmSync(join(folder, "days/2.csv"));
    expect(await runScript(served.origin)).toEqual({ status: 1, count: 3 });
  },
);
