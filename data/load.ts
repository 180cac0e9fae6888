import { openProgress } from "./progress.ts";
import type { Problem } from "./sources/source.ts";
import { formatProblem, stage } from "./staging.ts";
import { configuredStore, type StoreName, targets } from "./targets/targets.ts";
import type { Deployment } from "./targets/wrangler.ts";

export interface LoadOptions extends Deployment {
  /** Where to; by default what wrangler.toml says the worker serves from. */
  store?: StoreName | undefined;
  /** Refuse what would otherwise be mended: counts of a `False` record that are not 0. */
  strict?: boolean | undefined;
  /** Serve records of other models as this one. */
  modelName?: "tf1" | undefined;
}

/** Input that cannot be loaded; the message lists its problems, a line each. */
export class InputError extends Error {}

/**
 * Replaces what is loaded with the records of the files. Everything is read, compared and ordered before the first
 * byte is written; if anything is wrong, nothing is.
 * @param files paths; `-` is standard input
 * @throws InputError if any line of the files cannot be loaded
 */
export async function load(files: string[], options: LoadOptions): Promise<void> {
  const reading = openProgress("reading");
  const staged = await stage(files, {
    modelName: options.modelName,
    strict: options.strict ?? false,
    onProgress: reading.update,
  }).finally(reading.close);
  try {
    if (staged.problemCount > 0) throw refuse(staged.problems, staged.problemCount);
    const writing = openProgress("writing", staged.count);
    const state = { version: Date.now(), count: staged.count };
    const target = targets[options.store ?? (await configuredStore())];
    await target.load(staged.records(), state, options, writing.update).finally(writing.close);
    console.log(summarise(staged.count, staged.zeroed));
  } finally {
    staged.close();
  }
}

function refuse(problems: Problem[], count: number): InputError {
  const more = count - problems.length;
  const lines = problems.map(formatProblem);
  if (more > 0) lines.push(`and ${more} more problem${more === 1 ? "" : "s"}`);
  if (problems.some(({ field }) => field === "model_name")) {
    lines.push("The collection serves only model tf1; --model-name tf1 serves other models as such.");
  }
  return new InputError([...lines, "Nothing was loaded."].join("\n"));
}

function summarise(count: number, zeroed: number): string {
  const mended = `; ${zeroed} of them with camera_ok "False" had counts above 0, which are now 0`;
  return `Loaded ${count} records${zeroed > 0 ? mended : ""}.`;
}
