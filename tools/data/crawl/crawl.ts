import { isDeepStrictEqual } from "node:util";
import { type Command, InvalidArgumentError } from "commander";
import { writeOutput } from "../../../data/formats/output-file.ts";
import { COLLECTION_PATH, PAGE_SIZE } from "../../../src/records/page.ts";
import type { Page } from "../../../src/records/record.ts";
import { parseOut } from "../../command-line/options.ts";
import { openProgress } from "../../command-line/progress.ts";
import { openCrawlFile } from "./crawl-file.ts";
import { createPageClient, type PageClient } from "./page-client.ts";

interface CrawlOptions {
  /** A path; `-` is standard output. */
  out: string;
  /** Whether to replace the file instead of resuming. */
  restart?: boolean | undefined;
}

/** Adds the command `crawl` to a program. */
export function addCrawl(program: Command): void {
  program
    .command("crawl")
    .argument("<url>", "base URL of a service, or the URL of its collection", parseCollectionUrl)
    .description("copy the pages of another deployment into a file, one page a line, newest first")
    .option(
      "--out <file>",
      "file to write, or to resume if it is an unfinished crawl; - is standard output",
      parseCrawlOut,
      "pages.jsonl",
    )
    .option("--restart", "start over and replace the file")
    .action((url: URL, options: CrawlOptions) => crawl(url, options));
}

function parseCrawlOut(text: string): string {
  const out = parseOut(text);
  if (!out.endsWith(".gz")) return out;
  throw new InvalidArgumentError(
    "A crawl is not compressed, because it may have to be resumed. Use another name.",
  );
}

/** Reads the URL of a collection, or of the service that has it at the specification's path. */
export function parseCollectionUrl(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError("It must be a URL that begins with http:// or https://.");
  const url = new URL(text);
  if (!url.pathname.endsWith(COLLECTION_PATH))
    url.pathname = url.pathname.replace(/\/*$/, "") + COLLECTION_PATH;
  return url;
}

/**
 * Copies a collection page by page, newest record first. Each line of the file is a page, so its last line says where an
 * unfinished crawl goes on. The collection may grow meanwhile: its records then move to later pages, and
 * those that are copied already are skipped.
 * @throws Error if a page cannot be read, if the collection was changed in another way, or if the file cannot be written
 */
export async function crawl(
  collection: URL,
  { out, restart = false }: CrawlOptions,
  client: PageClient = createPageClient(),
): Promise<void> {
  const file = out === "-" ? undefined : openCrawlFile(out, restart);
  const progress = openProgress("copying", file?.last?.count, { out });
  try {
    const lines = copyPages(collection, file?.last, client, progress.update);
    if (!file) return await writeOutput(out, lines);
    for await (const line of lines) file.write(line);
  } finally {
    progress.close();
    file?.close();
  }
  console.log(`${out} is complete. Load it with: npm run data -- load ${out}`);
}

/**
 * Reads the pages that are not copied yet.
 * @param last the last page that was copied
 */
async function* copyPages(
  collection: URL,
  last: Page | undefined,
  client: PageClient,
  onProgress: (done: number, total: number) => void,
): AsyncGenerator<string> {
  let copied = last?.results ?? [];
  let before = last;
  let url = last ? nextUrl(collection, last) : new URL(collection);
  let left = last && url ? countFrom(last, url) : undefined;
  while (url) {
    const page = await client.read(url);
    requireGrowth(page, before);
    const surplus = countFrom(page, url) - (left ?? countFrom(page, url));
    if (surplus >= PAGE_SIZE) {
      // So many records were added that the next record is some pages further on.
      url = movePages(url, Math.floor(surplus / PAGE_SIZE));
      continue;
    }
    requireSame(page.results.slice(0, surplus), copied);
    const results = page.results.slice(surplus);
    yield `${JSON.stringify({ ...page, results })}\n`;
    copied = [...copied, ...results].slice(-PAGE_SIZE);
    left = countFrom(page, url) - page.results.length;
    onProgress(page.count - left, page.count);
    before = page;
    url = nextUrl(collection, page);
  }
}

/** The host of a link may be a name that only the service itself knows, so only its query is used. */
function nextUrl(collection: URL, { next }: Page): URL | undefined {
  if (next === null) return undefined;
  const url = new URL(collection);
  url.search = new URL(next).search;
  return url;
}

function pageOf(url: URL): number {
  return Number(url.searchParams.get("page") ?? 1);
}

function movePages(url: URL, pages: number): URL {
  const moved = new URL(url);
  moved.searchParams.set("page", String(pageOf(url) + pages));
  return moved;
}

/** The records of a page, if the URL is that of the page, and all older ones. */
function countFrom({ count }: Page, url: URL): number {
  return count - PAGE_SIZE * (pageOf(url) - 1);
}

/** @throws Error if records were removed */
function requireGrowth({ count }: Page, last: Page | undefined): void {
  if (!last || count >= last.count) return;
  throw new Error(
    `The collection has ${count} records, but had ${last.count} before: it was replaced. Use --restart to start over.`,
  );
}

/** @throws Error if the records that are skipped are not those that were copied */
function requireSame(skipped: Page["results"], copied: Page["results"]): void {
  const overlap = Math.min(skipped.length, copied.length);
  if (overlap === 0 || isDeepStrictEqual(skipped.slice(-overlap), copied.slice(-overlap))) return;
  throw new Error(
    "A page does not repeat the records that were copied before: the collection was replaced. Use --restart to start over.",
  );
}
