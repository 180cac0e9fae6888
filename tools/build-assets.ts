import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// Makes what is served as static assets: the site's scripts and style sheets, bundled with the packages that they
// import, and the files that go out as they are. wrangler.toml runs it before each start and deployment.

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

/** Writes a file if it changes, and at once: other starts may be building, and servers reading and listing, the same. */
function replace(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${OUT}.${basename(path)}.${process.pid}`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}
