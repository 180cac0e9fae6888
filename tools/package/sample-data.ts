import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Block } from "../../src/store/block.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import type { Store } from "../../src/store/store.ts";
import { describeFileError, getErrorCode } from "../messages.ts";

/** The records in the file are checked and sorted, so that a service is ready at once. */
export interface SampleData extends Omit<Snapshot, "loaded_at"> {
  blocks: Block[];
}

let sampleData: SampleData | undefined;

/** Creates a store of the sample data. All services of a process share its blocks. */
export function createSampleStore(): Store {
  const file = new URL("./sample-data.json.gz", import.meta.url);
  sampleData ??= JSON.parse(gunzipSync(readPackageFile(file)).toString()) as SampleData;
  const { blocks, ...snapshot } = sampleData;
  return createMemoryStore({ ...snapshot, loaded_at: new Date().toISOString() }, blocks);
}

/**
 * Reads a file that the package contains beside its code.
 * @param url Written as `new URL("./name", import.meta.url)`, which tools find that copy all files of a program, and which works in Jest 29
 */
export function readPackageFile(url: URL): Buffer<ArrayBuffer> {
  const path = fileURLToPath(url);
  try {
    return readFileSync(path);
  } catch (cause) {
    const isMissing = getErrorCode(cause) === "ENOENT";
    const advice = isMissing
      ? ". A bundler must keep this package external, with `external` or `externals`, in Next.js with `serverExternalPackages`"
      : "";
    throw new Error(`${path} cannot be read: ${describeFileError(cause)}${advice}.`, { cause });
  }
}
