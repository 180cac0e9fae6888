import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { readConfiguration } from "../../data/stores/configuration.ts";
import type { Site } from "./site.ts";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/**
 * Reads the static files of the site, with the headers and redirects that a deployment gives them.
 * @param folder what the build of the site wrote
 */
export async function readSite(folder: string): Promise<Site> {
  const { assets } = await readConfiguration();
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const findHeaders = parseHeaders(read("_headers"));
  const describeFile = (name: string): Site["files"] => {
    const text = read(name);
    const headers = {
      "Content-Type": TYPES[extname(name)] ?? "application/octet-stream",
      "Cache-Control": "public, max-age=0, must-revalidate",
      ETag: `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`,
      ...findHeaders(`/${name}`),
    };
    return { [`/${name}`]: { headers, text } };
  };
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("_"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    // The seed of the worker. The package has the files of data/seed.
    .filter((name) => !/^api\/|^seed\.csv\.gz$/.test(name));
  return {
    files: Object.assign({}, ...names.map(describeFile)),
    redirects: parseRedirects(read("_redirects")),
    headers: findHeaders("/"),
    hidden: (assets?.run_worker_first ?? []).map((pattern) => pattern.replace("*", "")),
  };
}

/** Parses `_headers`: paths, which may end with `*`, and below each its headers, indented. */
function parseHeaders(text: string): (path: string) => Record<string, string> {
  const rules = text.split(/^(?=\/)/m).map((rule) => {
    const [path = "", ...lines] = rule.trim().split(/\n\s+/);
    const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace("*", ".*")}$`);
    return { pattern, headers: Object.fromEntries(lines.map((line) => line.split(/:\s+(.*)/, 2))) };
  });
  return (path) =>
    Object.assign({}, ...rules.map(({ pattern, headers }) => (pattern.test(path) ? headers : {})));
}

/** Parses `_redirects`: in each line a path, where it leads and a status. */
function parseRedirects(text: string): Site["redirects"] {
  const lines = text.trim().split("\n");
  const redirects = lines.map((line) => line.split(" "));
  return Object.fromEntries(
    redirects.map(([path, location = "", status]) => [path, { status: Number(status), location }]),
  );
}
