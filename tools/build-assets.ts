import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// Builds the static assets: bundles the scripts and style sheets of the site with the packages that they import, and
// copies the other files. wrangler.toml runs this program before each start and deployment.

const SOURCES = fileURLToPath(new URL("../src/site/assets", import.meta.url));
const OUT = fileURLToPath(new URL("../dist/assets", import.meta.url));

const { outputFiles } = await build({
  entryPoints: globSync(["scripts/*.ts", "styles/*.css"], { cwd: SOURCES }).map((file) =>
    join(SOURCES, file),
  ),
  outdir: join(OUT, "assets"),
  entryNames: "[name]",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "linked",
  write: false,
});

for (const { path, contents } of outputFiles) replace(path, contents);
replace(join(OUT, "assets/icon.svg"), readFileSync(join(SOURCES, "icon.svg")));
for (const name of ["_headers", "_redirects"]) replace(join(OUT, name), readFileSync(join(SOURCES, name)));

/** Replaces a file in one step, if it changes, because other builds and running servers may use it at the same time. */
function replace(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${OUT}.${basename(path)}.${process.pid}`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}
