import { existsSync, globSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { loadSeed, writeSeedAssets } from "../data/seed-writer.ts";
import { type Configuration, readConfiguration, SEED_STORE } from "../data/writer/configuration.ts";
import { createOpenApiDocument, type OpenApiDocument } from "../src/openapi.ts";
import { SEED_SNAPSHOT_PATH } from "../src/store/seed.ts";
import { PLACEHOLDER_ORIGIN, REFERENCE_PATH } from "../src/views/site.ts";
import { requireValidSettings } from "./check-settings.ts";
import { DIST, replaceFile } from "./replace-file.ts";

// Builds the static files of the worker: scripts, style sheets and icons, the templates of the OpenAPI document and of the API
// reference, and the seed. The worker imports the paths of the files from dist/asset-paths.ts. wrangler.toml runs this build before each
// start and deployment. Under `wrangler dev`, the build also prepares the store.

const SITE = fileURLToPath(new URL("../src/site", import.meta.url));
const SOURCES = join(SITE, "assets");
const ASSETS = join(DIST, "assets/assets");

/** The static files whose names contain no hash. */
const ROOT_FILES = [join(SOURCES, "_headers"), join(SOURCES, "robots.txt"), "LICENSE"];

const files = await bundle();
for (const [name, contents] of files) replaceFile(join("assets/assets", name), contents);
for (const file of ROOT_FILES)
  replaceFile(join("assets", basename(file)), readFileSync(resolve(DIST, "..", file)));
const paths = Object.fromEntries(
  Array.from(files.keys(), (name) => [name.replace(/-[^-.]+(?=\.)/, ""), `/assets/${name}`]),
);
replaceFile("assets/_redirects", `/favicon.ico ${paths["icon.svg"]} 302\n`);
replaceFile(
  "asset-paths.ts",
  `/** The paths of the files, by their names. */\nexport default ${JSON.stringify(paths)};\n`,
);
const { renderReference } = await importReference();
const document = createOpenApiDocument(PLACEHOLDER_ORIGIN);
replaceFile(`assets${REFERENCE_PATH}-template.json`, JSON.stringify(document));
replaceFile(`assets${REFERENCE_PATH}-template.html`, `<!doctype html>${renderReference(document)}`);
// Removes the files of earlier builds. Otherwise, wrangler would deploy them, too.
for (const name of readdirSync(ASSETS)) if (!files.has(name)) rmSync(join(ASSETS, name), { force: true });
await prepareSeed().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

/** Bundles scripts and style sheets. The file names contain a hash of the contents, so browsers may cache the files forever. */
async function bundle(): Promise<Map<string, Uint8Array>> {
  const sources = globSync(["scripts/*.ts", "*.css", "*.svg"], { cwd: SOURCES });
  const { outputFiles } = await build({
    entryPoints: sources.map((file) => join(SOURCES, file)),
    outdir: ASSETS,
    entryNames: "[name]-[hash]",
    loader: { ".svg": "copy" },
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

/** Imports the API reference. Node cannot import it directly, because it contains JSX. */
async function importReference(): Promise<{ renderReference(document: OpenApiDocument): string }> {
  const { outputFiles } = await build({
    entryPoints: [join(SITE, "reference/reference-page.tsx")],
    bundle: true,
    format: "esm",
    platform: "node",
    jsx: "automatic",
    jsxImportSource: "#site",
    write: false,
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString("base64")}`
  );
}

/** Writes the seed as assets. Under `wrangler dev`, also loads the seed into the local store if nothing was ever loaded there. */
async function prepareSeed(): Promise<void> {
  const { WRANGLER_COMMAND, STORE_IS_PREPARED } = process.env;
  const isDev = WRANGLER_COMMAND === "dev";
  await writeSeedAssets(join(DIST, "assets")).catch((error: Error) => {
    // Continues with the last valid seed. After a failed build, `wrangler dev` would not respond to requests until the next build.
    if (!isDev || !existsSync(join(DIST, "assets", SEED_SNAPSHOT_PATH))) throw error;
    console.error(`${error.message}\nThe last valid seed stays in use.`);
  });
  // `npm start` has already prepared the store. This build does not get the arguments that select the store.
  if (WRANGLER_COMMAND === undefined || STORE_IS_PREPARED) return;
  const configuration = await readConfiguration();
  if (!isDev) return;
  requireLocalLinks(configuration);
  const store = requireValidSettings(configuration);
  if (store !== SEED_STORE) await loadSeed({ store });
}

/** Under plain `wrangler dev`, the worker cannot know the address of the local server if the configuration names a public one. */
function requireLocalLinks({ dev, route, routes = [], vars }: Configuration): void {
  const isRouted = (route !== undefined || routes.length > 0) && !dev?.host;
  if (!isRouted && !vars?.PUBLIC_ORIGIN) return;
  throw new Error(
    `wrangler.toml sets ${isRouted ? "routes" : "PUBLIC_ORIGIN"}, so the links of \`wrangler dev\` would lead to the deployment. Run \`npm start\` instead: it has the same options, and its links lead to the local server.`,
  );
}
