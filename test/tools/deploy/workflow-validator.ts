import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { TextDocument } from "vscode-languageserver-textdocument";
import { createFolder } from "../../temporary-folder.ts";

type Service = typeof import("@actions/languageservice");

/** Returns the errors in a workflow or an action, one error per line. */
export type Validate = (file: string, text: string) => Promise<string[]>;

/**
 * Bundles the language service of GitHub's editor support, which checks workflows. It imports JSON files without an
 * import attribute, so Node cannot import it directly.
 */
export async function createWorkflowValidator(): Promise<Validate> {
  const folder = createFolder();
  const outfile = join(folder, "service.cjs");
  const stdin = { contents: 'export { validate } from "@actions/languageservice";', resolveDir: "." };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "cjs", logLevel: "error" });
  const service: Pick<Service, "validate"> = createRequire(import.meta.url)(outfile);
  return async (file, text) => {
    const document = TextDocument.create(`file:///${file}`, "yaml", 1, text);
    const diagnostics = await service.validate(document, { fileProvider });
    return diagnostics.map(({ range, message }) => `${file}:${range.start.line + 1}: ${message}`);
  };
}

/** Reads the workflows of this project that other workflows call. */
const fileProvider = {
  async getFileContent(reference: { path?: string }) {
    const name = String(reference.path);
    return { name, content: readFileSync(name, "utf8") };
  },
};
