import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { listCodeBlocks, readDocument } from "../support/documentation.ts";
import { PATH } from "../support/exchange.ts";
import { runProcess } from "../support/run-command.ts";
import { makeRecords } from "../support/sample-records.ts";
import { useWorker } from "../support/worker.ts";
import { createDataFolder } from "../tools/data/data-folder.ts";

const [SCRIPT = ""] = listCodeBlocks("docs/deploying.md", "sh").filter((block) =>
  block.includes("--min-records"),
);
/** What cron runs. */
const [, CRON_LINE = ""] = /`(sh nightly\.sh .*)`/.exec(readDocument("docs/deploying.md")) ?? [];
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

/** Runs the script of the documentation as cron does, with a local store, whose pages are checked at an address. */
async function runScript(checkedOrigin: string): Promise<unknown> {
  const isServed = `curl -s ${served.origin}${PATH} | grep "count.:$(($(wc -l < records.csv) - 1)),"`;
  const script = SCRIPT.replaceAll("--remote", `--persist-to ${folder}`)
    // The time until the load is visible.
    .replace("sleep 10", `until ${isServed}; do sleep 0.1; done`)
    .replaceAll(/\b(days\/|records\.csv)/g, `${folder}/$1`)
    .replaceAll("https://counts.example", checkedOrigin);
  writeFileSync(join(folder, "nightly.sh"), script);
  const line = CRON_LINE.replaceAll("nightly.", `${folder}/nightly.`);
  const { status, stdout: mail } = await runProcess("sh", ["-c", line]);
  const [, count] = /^records +(\d+)$/m.exec((await run("info")).stdout) ?? [];
  return { status, mail, count: Number(count) };
}

const fails = (mail: RegExp, count: number) => ({ status: 1, mail: expect.stringMatching(mail), count });

test.runIf(hasPython)(
  "the nightly script loads what is right without a word, undoes a load that breaks a rule, and reports what fails",
  async () => {
    writeDay("1.csv", `${HEADER}A,2025-01-02 03:00,1,1\nB,2025-01-02 03:00,1,1\n`);
    expect(await runScript(served.origin)).toEqual({ status: 0, mail: "", count: 2 });
    writeDay("2.csv", `${HEADER}A,2025-01-03 03:00,many,1\n`);
    expect(await runScript(served.origin)).toEqual(fails(/days\/2\.csv:2: /, 2));
    writeDay("2.csv", `${HEADER}A,2025-01-03 03:00,1,1\n`);
    const broken = createServer((_, response) => response.end("{}")).listen(0);
    await once(broken, "listening");
    const { port } = broken.address() as AddressInfo;
    expect(await runScript(`http://localhost:${port}`)).toEqual(fails(/^Restored 2 records /m, 2));
    broken.close();
    expect(await runScript("http://localhost:1"), "the check cannot run").toEqual(fails(/localhost:1/, 3));
    writeDay("1.csv", `${HEADER}A,2025-01-02 03:00,1,1\n`);
    rmSync(join(folder, "days/2.csv"));
    expect(await runScript(served.origin)).toEqual(fails(/--min-records 3/, 3));
  },
);
