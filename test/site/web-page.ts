import { CHROMIUM } from "../http-suite/exchange.ts";

/** The request of a person who opens an address in a browser. */
export const IN_BROWSER = { headers: { accept: CHROMIUM } };

const REFERENCES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** The text that a browser reads from markup. */
export const readText = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => REFERENCES[name] ?? "");
