import { readdirSync, readFileSync } from "node:fs";

/** The pages for users of the service. */
export const DOCUMENTS = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].sort();

export function readDocument(name: string): string {
  return readFileSync(name, "utf8");
}

/** Lists the contents of the fenced code blocks in a language. */
export function listCodeBlocks(name: string, language: string): string[] {
  return [...readDocument(name).matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(
    ([, blockLanguage, text = ""]) => (blockLanguage === language ? [text] : []),
  );
}

/** Lists the inline code of a Markdown text, ignoring fenced blocks. */
export function listInlineCode(text: string): string[] {
  const matches = text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`\n]+)`/g);
  return [...matches].map(([, code = ""]) => code);
}
