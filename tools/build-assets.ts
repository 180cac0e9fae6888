import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { SEED_CSV_PATH, SEED_PATH, SEED_SNAPSHOT_PATH } from "../src/store/seed.ts";
import { printError } from "./command-line/print.ts";
import { loadSampleData, writeSampleAssets } from "./data/sample-data.ts";
import {
  type Configuration,
  readConfiguration,
  requireValidSettings,
  STORE_NAMES,
} from "./data/stores/configuration.ts";
import { DIST, listFiles, replaceFile, replaceFolder } from "./dist.ts";
import { PROJECT } from "./paths.ts";
import { OPENAPI_DOCUMENT } from "./reference/openapi.ts";

// Builds the static files of the worker: scripts, style sheet and icon, the OpenAPI document, the API reference, and the sample data.
// wrangler.toml runs this build before each start and deployment. The build also checks the settings of a deployment, and prepares the store
// of `wrangler dev`.

/** Files that become assets as they are. */
const PUBLIC = join(PROJECT, "public");
const SOURCES = join(PROJECT, "src/views/assets");
const ASSETS = join(DIST, "assets");

/** The module with the hash of the sample data. It begins with a hash of the files from which the assets of the sample data were made. */
const SAMPLE_DATA_HASH_FILE = "sample-data-hash.js";

const bundled = await bundleFiles();
// The path changes with the files, so that browsers can keep them for ever (public/_headers). The worker and the API reference import it.
const hash = createHash("sha256");
for (const { name, contents } of bundled) hash.update(name).update(contents);
const assetsPath = `/assets/${hash.digest("hex").slice(0, 8)}`;
replaceFile("assets-path.js", `export const ASSETS_PATH = "${assetsPath}";`);
const assets = new Map<string, string | Uint8Array>([
  ...listFiles(PUBLIC).map((file) => [file, readFileSync(join(PUBLIC, file))] as const),
  ["LICENSE", readFileSync(join(PROJECT, "LICENSE"))],
  ...bundled.map(({ name, contents }) => [`${assetsPath.slice(1)}/${name}`, contents] as const),
  // Browsers ask for this path if they show a response that is no page.
  ["_redirects", `/favicon.ico ${assetsPath}/icon.svg 302`],
  ["openapi.json", JSON.stringify(OPENAPI_DOCUMENT)],
  // The platform serves /docs.html as /docs.
  ["docs.html", (await importReference()).renderReference()],
]);
const isSampleData = (file: string) => [SEED_CSV_PATH, SEED_PATH].some((path) => `/${file}`.startsWith(path));
// The sample data is written below, and only if it has changed.
replaceFolder("assets", assets, isSampleData);
await prepareSampleData().catch((error: Error) => {
  printError(error.message);
  process.exitCode = 1;
});

async function bundleFiles() {
  const sources = globSync(["scripts/*.ts", "*.css", "*.svg"], { cwd: SOURCES });
  const { outputFiles } = await build({
    entryPoints: sources.map((file) => join(SOURCES, file)),
    outdir: ASSETS,
    entryNames: "[name]",
    loader: { ".svg": "copy" },
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
  });
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
}

/** Imports the API reference. Node cannot import it directly, because it contains JSX. */
async function importReference(): Promise<typeof import("./reference/reference-page.tsx")> {
  const { outputFiles } = await build({
    entryPoints: [join(PROJECT, "tools/reference/reference-page.tsx")],
    conditions: ["workerd"],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error("esbuild wrote no module of the API reference");
  return import(`data:text/javascript;base64,${Buffer.from(output.contents).toString("base64")}`);
}

/** Writes the sample data as assets. Under `wrangler dev`, also loads it into the local store if nothing was ever loaded there. */
async function prepareSampleData(): Promise<void> {
  const { WRANGLER_COMMAND, STORE_CHOICE } = process.env;
  const isDev = WRANGLER_COMMAND === "dev";
  const hasSampleData = existsSync(join(ASSETS, SEED_SNAPSHOT_PATH));
  await updateSampleAssets({ hasSampleData }).catch((error: Error) => {
    // Continues with the last valid sample data. After a failed build, `wrangler dev` would not respond to requests until the next build.
    if (!isDev || !hasSampleData) throw error;
    printError(`${error.message}\nThe last valid sample data stays in use.`);
  });
  if (WRANGLER_COMMAND === undefined) return;
  // Set by `npm start`, which has checked the settings: its arguments do not reach this build.
  const choice = JSON.parse(STORE_CHOICE ?? "{}");
  const configuration = await readConfiguration(choice.config);
  if (!isDev) return requireValidSettings(configuration);
  if (STORE_CHOICE === undefined) requireLocalLinks(configuration);
  const store = STORE_NAMES.find((name) => name === (choice.store ?? configuration.vars?.STORE));
  if (store !== undefined) await loadSampleData({ ...choice, store });
}

/** Under plain `wrangler dev`, the worker cannot know the address of the local server if the configuration names a public one. */
function requireLocalLinks({ dev, route, routes = [], vars }: Configuration): void {
  const isRouted = (route !== undefined || routes.length > 0) && !dev?.host;
  if (!isRouted && !vars?.PUBLIC_ORIGIN) return;
  throw new Error(
    `wrangler.toml sets ${isRouted ? "routes" : "PUBLIC_ORIGIN"}, so the links of \`wrangler dev\` would lead to the deployment. Run \`npm start\` instead: it has the same options, and its links lead to the local server.`,
  );
}

/** Writes the assets of the sample data, unless neither it nor its code has changed: under `wrangler dev`, each save starts a build. */
async function updateSampleAssets({ hasSampleData }: { hasSampleData: boolean }): Promise<void> {
  const hash = createHash("sha256");
  const sources = globSync(["data/**/*.*", "{src/{records,store},tools/data}/**/*.ts"], { cwd: PROJECT });
  for (const file of sources.sort()) hash.update(file).update(readFileSync(join(PROJECT, file)));
  const start = `// ${hash.digest("hex")}\n`;
  const module = join(DIST, SAMPLE_DATA_HASH_FILE);
  if (hasSampleData && existsSync(module) && readFileSync(module, "utf8").startsWith(start)) return;
  const recordsHash = await writeSampleAssets(ASSETS);
  replaceFile(SAMPLE_DATA_HASH_FILE, `${start}export const SAMPLE_DATA_HASH = "${recordsHash}";`);
}
