import { createHash } from "node:crypto";
import { getMimeType } from "hono/utils/mime";

/** The static files by their paths, and the paths that the worker responds to first. The build replaces this name. */
declare const SITE: { files: Record<string, string>; workerFirst: string[] };

/** What a deployment reads instead of serving it. */
const { "/_headers": RULES = "", "/_redirects": REDIRECTS = "", ...TEXTS } = SITE.files;

const redirects = new Map(
  Array.from(REDIRECTS.matchAll(/^(\S+) (\S+) (\d+)$/gm), ([, path = "", location = "", status]) => [
    path,
    { location, status: Number(status) },
  ]),
);

const files = new Map(
  Object.entries(TEXTS).map(([path, text]) => {
    const headers = {
      "Content-Type": getMimeType(path) ?? "application/octet-stream",
      "Cache-Control": "public, max-age=0, must-revalidate",
      ETag: `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`,
      ...findHeaders(path),
    };
    return [path, { headers, text }];
  }),
);

/** Finds the headers that `_headers` gives to a path: below each pattern, its headers are indented. */
function findHeaders(path: string): Record<string, string> {
  const rules = Array.from(RULES.matchAll(/^(\/.*)\n((?: +.+\n?)+)/gm));
  const lines = rules.flatMap(([, pattern = "", block = ""]) => (matches(pattern, path) ? [block] : []));
  const headers = lines.join("\n").matchAll(/^ +(\S+): (.+)$/gm);
  return Object.fromEntries(Array.from(headers, ([, name, value]) => [name, value]));
}

/** @param pattern a path, which may end with `*` */
function matches(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** Responds with a static file or a redirect, as the platform does. Returns undefined for the paths of the service. */
export function respondWithFile({ method, url, headers }: Request): Response | undefined {
  const { pathname, search } = new URL(url);
  const redirect = redirects.get(pathname);
  if (redirect) {
    const { status, location } = redirect;
    return new Response(null, { status, headers: { ...findHeaders(pathname), Location: location + search } });
  }
  const file = files.get(pathname);
  if (!file || SITE.workerFirst.some((pattern) => matches(pattern, pathname))) return undefined;
  if (method !== "GET") return new Response(null, { status: 405, headers: findHeaders("/") });
  const isUnchanged = headers.get("If-None-Match")?.replace(/^W\//, "") === file.headers.ETag;
  return new Response(isUnchanged ? null : file.text, {
    status: isUnchanged ? 304 : 200,
    headers: file.headers,
  });
}

/** The binding with which the service reads its templates. */
export const ASSETS = {
  async fetch(url: string) {
    const file = files.get(new URL(url).pathname);
    return new Response(file?.text, { status: file ? 200 : 404 });
  },
};
