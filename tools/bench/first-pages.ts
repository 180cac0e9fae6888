import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { COLLECTION_PATH } from "../../src/records/page.ts";
import { REFERENCE_PATH } from "../../src/site/about.ts";

/** The web page that a new instance responds with first, which takes longer than all later ones. */
export interface FirstPage {
  path: string;
  /** CPU time without the store. The free plan allows 10 ms. */
  cpu_ms: number;
}

/** Instances for each page. The fastest counts, because other processes only make the others slower. */
const INSTANCES = 5;

const runFile = promisify(execFile);

/** @param bundle a folder with the bundled worker */
export async function measureFirstPages(bundle: string): Promise<FirstPage[]> {
  const pages: FirstPage[] = [];
  for (const path of ["/", REFERENCE_PATH, COLLECTION_PATH]) {
    const times: number[] = [];
    for (let instance = 0; instance < INSTANCES; instance++) {
      const program = join(PROJECT, "tools/bench/first-page.ts");
      const { stdout } = await runFile(process.execPath, [program, join(bundle, "worker.js"), path]);
      times.push(Number(stdout));
    }
    pages.push({ path, cpu_ms: Math.min(...times) });
  }
  return pages;
}
