import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import * as z from "zod";
import project from "../../package.json" with { type: "json" };
import { TrafficRecord } from "../../src/records/schema.ts";
import { SEED_CSV_PATH } from "../../src/store/seed.ts";
import { listSampleFiles } from "../data/sample-data.ts";
import { DIST, replaceFolder } from "../dist.ts";
import { PROJECT } from "../paths.ts";
import { loadRecords } from "./load-records.ts";

// Builds the package in dist/package, for `npm run package`. The package has no dependencies, because the build bundles them.

const SOURCE = import.meta.dirname;
const FOLDER = "package";
const ASSETS = join(DIST, "assets");

const { name, version, description, license } = project;
const { metafile, outputFiles } = await build({
  entryPoints: { index: join(SOURCE, "service.ts"), cli: join(SOURCE, "command.ts") },
  outdir: join(DIST, FOLDER),
  bundle: true,
  // As for the worker, with the modules that esbuild prefers by default.
  conditions: ["workerd", "module"],
  // Puts dynamically imported modules into separate files, because only some commands need these modules.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.13",
  define: { FILES: JSON.stringify(readStaticFiles()) },
  // Defines `require` for a bundled CommonJS library.
  banner: {
    js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);',
  },
  legalComments: "none",
  metafile: true,
  write: false,
});
const manifest = {
  name,
  version,
  description,
  license,
  type: "module",
  engines: { node: ">=22.13" },
  bin: { [name]: "cli.js" },
  exports: { ".": "./index.js", "./package.json": "./package.json" },
  files: ["*.js", "*.md", "docs", "data", "examples", "index.d.ts", "NOTICES.txt", "*.gz"],
};
const sampleData = await loadRecords({ files: listSampleFiles() });
const types = readFileSync(join(SOURCE, "index.d.ts"), "utf8");
const files = new Map<string, string | Uint8Array>([
  ...outputFiles.map(({ path, contents }) => [basename(path), contents] as const),
  ["package.json", JSON.stringify(manifest, null, 2)],
  ["NOTICES.txt", collectNotices(metafile)],
  [
    "index.d.ts",
    types.replace(/^import .+?^export type .+?;$/ms, `${readChangeType()}\n\n${renderRecordType()}`),
  ],
  ...readDocuments(),
  ["sample-data.json.gz", gzipSync(JSON.stringify(sampleData), { level: 9 })],
  [basename(SEED_CSV_PATH), readFileSync(join(ASSETS, SEED_CSV_PATH))],
]);
replaceFolder(FOLDER, files);

/**
 * Reads the documents. They have the same paths in the package, so that their links and messages name the right files.
 * @throws Error if a link leads to a file that the package does not contain
 */
function readDocuments(): Map<string, string> {
  const paths = globSync(["LICENSE", "docs/*.md", "data/seed/README.md", "examples/*.py"], { cwd: PROJECT });
  const documents = new Map(paths.map((path) => [path, readFileSync(join(PROJECT, path), "utf8")]));
  const readme = documents.get("docs/package.md") ?? "";
  documents.set("README.md", readme.replaceAll(/\]\((?=[a-z]+\.md)/g, "](docs/"));
  for (const [path, text] of documents)
    for (const [, link = ""] of text.matchAll(/\]\((?!https?:)([^()#\s]+)/g))
      if (path.endsWith(".md") && !documents.has(join(dirname(path), link)))
        throw new Error(`${path} links to ${link}, which the package does not contain.`);
  return documents;
}

/** Reads the files for static-files.ts. The package has the sample data in a file of its own. */
function readStaticFiles() {
  const names = globSync(["*.{txt,html,json}", "LICENSE", "assets/*/*"], { cwd: ASSETS });
  return Object.fromEntries(
    names.map((name) => [`/${name.replace(/\.html$/, "")}`, readFileSync(join(ASSETS, name), "utf8")]),
  );
}

function readChangeType(): string {
  const source = readFileSync(join(PROJECT, "src/faults/page-faults.ts"), "utf8");
  const [type] = /^.+\nexport interface PageChange \{[^}]+\}$/m.exec(source) ?? [];
  if (type === undefined) throw new Error("page-faults.ts has no type PageChange.");
  return type;
}

function renderRecordType(): string {
  const fields = Object.entries(TrafficRecord.shape).map(([name, field]) => {
    const schema = z.toJSONSchema(field);
    const { description, anyOf = [schema] } = schema;
    return `  /** ${description} */\n  ${name}: ${anyOf.map(renderType).join(" | ")};\n`;
  });
  return `/** A record: the counts of one camera at one moment. */\nexport interface TrafficRecord {\n${fields.join("")}}`;
}

function renderType(schema: z.core.JSONSchema.JSONSchema): string {
  const constants = schema.const === undefined ? [] : [schema.const];
  const values = schema.enum ?? constants;
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(" | ");
  return schema.type === "integer" ? "number" : String(schema.type);
}

/** Collects the licenses of all packages in the bundle. */
function collectNotices({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].sort().map(formatNotice).join("\n\n");
}

/** @throws Error if the package has no license */
function formatNotice(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync("{license,LICENSE,LICENCE}*", { cwd: folder });
  if (file === undefined) throw new Error(`${name} has no license file.`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
