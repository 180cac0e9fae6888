import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { TextDocument } from "vscode-languageserver-textdocument";

type Service = typeof import("@actions/languageservice");

/** Tells what is wrong with a workflow or an action, a line each. */
export type FindProblems = (file: string, text: string) => Promise<string[]>;

/** Opens GitHub's own language service, which imports JSON as bundlers do and Node does not. */
export async function openLanguageService(): Promise<FindProblems> {
  const folder = await mkdtemp(join(tmpdir(), "language-service-"));
  try {
    const outfile = join(folder, "service.cjs");
    const stdin = { contents: 'export { validate } from "@actions/languageservice";', resolveDir: "." };
    await build({ stdin, outfile, bundle: true, platform: "node", format: "cjs", logLevel: "error" });
    const service: Pick<Service, "validate"> = createRequire(import.meta.url)(outfile);
    return async (file, text) => {
      const document = TextDocument.create(`file:///${file}`, "yaml", 1, text);
      const found = await service.validate(document, { fileProvider });
      return found.map(({ range, message }) => `${file}:${range.start.line + 1}: ${message}`);
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the workflows of this project that others of it use. */
const fileProvider = {
  async getFileContent(reference: { path?: string }) {
    const name = String(reference.path);
    return { name, content: readFileSync(name, "utf8") };
  },
};
