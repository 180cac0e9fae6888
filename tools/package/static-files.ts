import { getMimeType } from "hono/utils/mime";
import paths from "../../dist/asset-paths.ts";

/** The contents of static files and templates, by path. The build replaces the name `SITE` with these contents. */
declare const SITE: Record<"files" | "templates", Record<string, string>>;

// A deployment gets these headers from src/views/assets/_headers. The HTTP suite checks the headers of both.
const HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
  "X-Content-Type-Options": "nosniff",
};

const files = new Map(
  Object.entries(SITE.files).map(([path, text]) => {
    const headers = {
      ...HEADERS,
      "Content-Type": getMimeType(path) ?? "text/plain; charset=utf-8",
      "Cache-Control": `public, max-age=${path.startsWith("/assets/") ? "31536000, immutable" : "0, must-revalidate"}`,
    };
    return [path, { headers, text }];
  }),
);

/** Responds with a static file, as the platform does. Returns undefined if the path has no static file. */
export function respondWithFile({ method, url }: Request): Response | undefined {
  const { pathname, search } = new URL(url);
  if (pathname === "/favicon.ico")
    return new Response(null, { status: 302, headers: { ...HEADERS, Location: paths["icon.svg"] + search } });
  const file = files.get(pathname);
  if (!file) return undefined;
  if (method !== "GET") return new Response(null, { status: 405, headers: HEADERS });
  return new Response(file.text, { headers: file.headers });
}

/** The binding that the service reads its templates from. */
export const ASSETS = {
  async fetch(url: string) {
    const text = SITE.templates[new URL(url).pathname];
    return new Response(text, { status: text === undefined ? 404 : 200 });
  },
};
