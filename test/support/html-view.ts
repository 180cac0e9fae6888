import { CHROMIUM } from "./exchange.ts";

/** A request of a browser that opens a URL. */
export const IN_BROWSER = { headers: { accept: CHROMIUM } };

/** Strings that become elements or attributes if a page does not escape them. */
export const MARKUP = [
  `"><img class=injected src=x onerror=alert(1)>`,
  `'><svg class=injected onload=alert(1)>`,
  `</code></pre><script class=injected>alert(1)</script>`,
  `</title><b class=injected>`,
  `javascript:alert(1)//<a class=injected href=javascript:alert(1)>`,
  `&lt;i class=injected&gt; &quot; \\u003ci`,
];

const REFERENCES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Extracts the text content of HTML. */
export const extractText = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => REFERENCES[name] ?? "");

/** Finds the URLs of all links, including the links to files. */
export const findLinks = (html: string) =>
  Array.from(html.matchAll(/href="([^"]*)"/g), ([, url]) => extractText(url!));

/** Parses the JSON response in the HTML view: its status, headers and body, without notes, what was removed, and the spaces of formatted JSON. */
export function parseShownResponse(page: string) {
  const [, name, lines = "", rest = ""] =
    /The API response.*<pre>HTTP (\d+ [^\n]+)\n(.*?)\n<\/pre>(.*?)<\/section>/s.exec(page) ?? [];
  const headers = extractText(lines).split("\n");
  // Unchanged records are folded, so the body is in several blocks.
  const body = Array.from(rest.matchAll(/<pre>(.*?)<\/pre>/gs), ([, block]) => block).join("\n");
  return {
    name: name && extractText(name),
    headers: new Headers(headers.map((line) => line.split(/: (.*)/, 2) as [string, string])),
    body: removeSpaces(extractText(body.replaceAll(/ <small.*?<\/small>|<del.*?<\/del>/g, ""))),
  };
}

/** Removes the spaces of formatted JSON, even if its end is missing. No value contains a colon and a space after a quote. */
function removeSpaces(text: string): string {
  return text.includes("\n") ? text.replaceAll(/\n */g, "").replaceAll('": ', '":') : text;
}
