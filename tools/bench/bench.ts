import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { PAGE_QUERY } from "../../src/store/d1.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { CASES, type PreparedCase, pageNumbers, prepareCase } from "./cases.ts";
import { prepareCollection } from "./collection.ts";
import { measureFirstPages } from "./first-pages.ts";
import { measureLoads } from "./load-times.ts";
import { measure } from "./repeat.ts";
import { createReport, formatReport, type RowsRead } from "./report.ts";
import { bundleWorker, type Runtime, startRuntime } from "./runtime.ts";
import { measureWalks } from "./walk.ts";

interface Options {
  records: number;
  rounds: number;
  seconds: number;
  persistTo: string;
  loadRecords: number;
  json?: true;
}

const program = createProgram("npm run bench --")
  .description("Measures how fast this machine serves pages, compared to the least that a worker can do.")
  .option(
    "--records <n>",
    "size of the collection, which is generated and kept",
    createWholeNumberParser(1),
    1_000_000,
  )
  .option(
    "--rounds <n>",
    "number of rounds, in each of which every case is measured once",
    createWholeNumberParser(1),
    25,
  )
  .option("--seconds <n>", "duration of each measurement", parseSeconds, 0.3)
  .option("--persist-to <dir>", "folder of the collections", join(PROJECT, ".wrangler/bench"))
  .option(
    "--load-records <n>",
    "records of the loads that are timed; 0 for none",
    createWholeNumberParser(0),
    1_000_000,
  )
  .option("--json", "print JSON")
  .action(async (options: Options) => {
    const result = await run(options);
    console.log(options.json ? JSON.stringify(result, null, 2) : formatReport(result));
  });

await runProgram(program);
process.exit(); // Workerd may be running, which nothing waits for any longer.

/** The cases are in cases.ts, the rounds in repeat.ts, and the ratios in report.ts. */
async function run({ records, rounds, seconds, persistTo, loadRecords }: Options) {
  const bundle = await bundleWorker();
  const folder = join(persistTo, String(records));
  await prepareCollection(records, bundle, folder);
  const runtime = await startRuntime(bundle, folder);
  try {
    const cases: PreparedCase[] = [];
    for (const one of CASES) cases.push(await prepareCase(one, runtime, records));
    const measured = await measure(cases, rounds, seconds);
    const walks = await measureWalks(runtime, records);
    const loads = loadRecords === 0 ? [] : await measureLoads(loadRecords);
    return createReport(records, measured, await readRowsRead(runtime, records), {
      walks,
      loads,
      first_pages: await measureFirstPages(bundle),
    });
  } finally {
    await runtime.close();
  }
}

async function readRowsRead(runtime: Runtime, records: number): Promise<RowsRead> {
  const { DB } = await runtime.bindings();
  const read = async (number: number) =>
    (await DB.prepare(PAGE_QUERY).bind(null, number, null).all()).meta.rows_read;
  const { first, middle, last } = pageNumbers(records);
  return { first: await read(first), middle: await read(middle), last: await read(last) };
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0)) throw new InvalidArgumentError("It must be a number above 0.");
  return seconds;
}
