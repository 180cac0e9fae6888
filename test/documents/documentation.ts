import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";

/** The pages of the documentation for people who use the service. */
export const DOCUMENTS = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].sort();

export function readDocument(name: string): string {
  return readFileSync(name, "utf8");
}

/** Expects texts in a page, however its lines are broken. A failure shows the missing texts, and not the whole page. */
export function expectInDocument(name: string, texts: string[]): void {
  const flatten = (text: string) => text.replaceAll(/\s+/g, " ");
  const page = flatten(readDocument(name));
  expect(texts.filter((text) => !page.includes(flatten(text)))).toEqual([]);
}

/** The contents of the fenced blocks of a page in a language. */
export function listCodeBlocks(name: string, language: string): string[] {
  return [...readDocument(name).matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(
    ([, blockLanguage, text = ""]) => (blockLanguage === language ? [text] : []),
  );
}

/** The inline code of a text, without its fenced blocks. */
export function listInlineCode(text: string): string[] {
  const matches = text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`\n]+)`/g);
  return [...matches].map(([, code = ""]) => code);
}
