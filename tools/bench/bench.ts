import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import { PAGE_QUERY } from "../../src/store/d1.ts";
import { createWholeNumberParser } from "../command-line/options.ts";
import { createProgram, runProgram } from "../command-line/program.ts";
import { PROJECT } from "../wrangler/wrangler.ts";
import { type Asked, askOnce, CASES, pageNumbers } from "./cases.ts";
import { prepareCollection } from "./collection.ts";
import { formatReport, type RowsRead, report } from "./report.ts";
import { measure } from "./rounds.ts";
import { bundleWorker, type Runtime, startRuntime } from "./runtime.ts";

interface Options {
  records: number;
  rounds: number;
  seconds: number;
  persistTo: string;
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
  .option("--rounds <n>", "how often each case is measured", createWholeNumberParser(1), 25)
  .option("--seconds <n>", "how long each time", parseSeconds, 0.3)
  .option("--persist-to <dir>", "where collections are kept", join(PROJECT, ".wrangler/bench"))
  .option("--json", "print JSON")
  .action(async (options: Options) => {
    const result = await run(options);
    console.log(options.json ? JSON.stringify(result, null, 2) : formatReport(result));
  });

await runProgram(program);
process.exit(); // Workerd may be running, which nothing waits for any longer.

/** What is measured and how: see tools/bench/cases.ts, tools/bench/rounds.ts and, for the ratios, tools/bench/report.ts. */
async function run({ records, rounds, seconds, persistTo }: Options) {
  const bundle = await bundleWorker();
  const folder = join(persistTo, String(records));
  await prepareCollection(records, bundle, folder);
  const runtime = await startRuntime(bundle, folder);
  try {
    const cases: Asked[] = [];
    for (const one of CASES) cases.push(await askOnce(one, runtime, records));
    return report(records, await measure(cases, rounds, seconds), await readRowsRead(runtime, records));
  } finally {
    await runtime.close();
  }
}

async function readRowsRead(runtime: Runtime, records: number): Promise<RowsRead> {
  const { DB } = await runtime.bindings();
  const read = async (number: number) =>
    (await DB.prepare(PAGE_QUERY).bind(number, null).all()).meta.rows_read;
  const { first, middle, last } = pageNumbers(records);
  return { first: await read(first), middle: await read(middle), last: await read(last) };
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0)) throw new InvalidArgumentError("It must be a number above 0.");
  return seconds;
}
