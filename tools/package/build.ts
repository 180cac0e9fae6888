import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { listSeedFiles } from "../../data/sources.ts";
import { PROJECT } from "../../data/stores/wrangler.ts";
import { readSite } from "./site-files.ts";

// Builds the package in dist/package, for `npm run package`. It has no dependencies, because they are bundled.

const SOURCE = import.meta.dirname;
const FOLDER = join(PROJECT, "dist/package");

const { name, version, description, license } = readJson(PROJECT);
const { metafile } = await build({
  entryPoints: { index: join(SOURCE, "service.ts"), cli: join(SOURCE, "cli.ts") },
  outdir: FOLDER,
  bundle: true,
  // What only some commands need, such as SQLite, is imported when it is needed.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.13",
  minify: true,
  jsx: "automatic",
  jsxImportSource: "#site",
  define: {
    SITE: JSON.stringify(await readSite(join(PROJECT, "dist/assets"))),
    VERSION: JSON.stringify(version),
  },
  inject: [join(SOURCE, "fixed-length-stream.ts")],
  // For a library that is not an ES module.
  banner: {
    js: 'import { createRequire } from "node:module";const require = createRequire(import.meta.url);',
  },
  legalComments: "none",
  metafile: true,
});
const manifest = {
  name,
  version,
  description,
  license,
  type: "module",
  engines: { node: ">=22.13" },
  bin: { [name]: "cli.js" },
  types: "./index.d.ts",
  exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
  files: ["*.js", "*.md", "index.d.ts", "NOTICES.txt", "seed"],
};
writeFileSync(join(FOLDER, "package.json"), JSON.stringify(manifest, null, 2));
writeFileSync(join(FOLDER, "NOTICES.txt"), collectNotices(metafile));
copyFileSync(join(SOURCE, "index.d.ts"), join(FOLDER, "index.d.ts"));
const documentation = globSync("docs/*.md", { cwd: PROJECT });
for (const file of documentation) copyFileSync(join(PROJECT, file), join(FOLDER, basename(file)));
copyFileSync(join(PROJECT, "docs/package.md"), join(FOLDER, "README.md"));
copyFileSync(join(PROJECT, "LICENSE"), join(FOLDER, "LICENSE"));
copySeed();
removeOldChunks(metafile);

/** Replaces the files of the seed, which are gzipped. */
function copySeed(): void {
  const folder = join(FOLDER, "seed");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const file of listSeedFiles())
    writeFileSync(join(folder, `${basename(file)}.gz`), gzipSync(readFileSync(file), { level: 9 }));
}

/** Removes what earlier builds wrote. The other files stay, because the command may be running from here. */
function removeOldChunks({ outputs }: Metafile): void {
  const current = Object.keys(outputs).map((path) => basename(path));
  for (const name of globSync("*.js", { cwd: FOLDER }))
    if (!current.includes(name)) rmSync(join(FOLDER, name));
}

/** The licences of all packages that are in the bundle. */
function collectNotices({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].sort().map(writeNotice).join("\n\n");
}

/** @throws Error if the package has no licence */
function writeNotice(folder: string): string {
  const { name, version } = readJson(folder);
  const [file] = globSync("{license,LICENSE,LICENCE}*", { cwd: folder });
  if (file === undefined) throw new Error(`${name} has no file with its licence.`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}

function readJson(folder: string) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
