import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Block } from "../../src/store/block.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";
import { describeFileError } from "../messages.ts";

/** Records that are checked and sorted. */
export interface SortedRecords extends Omit<Snapshot, "loaded_at"> {
  blocks: Block[];
}

let sampleData: SortedRecords | undefined;

/** Reads the sample data, which the build has sorted, so that a service is ready at once. All services of a process share it. */
export function readSampleData(): SortedRecords {
  const file = new URL("./sample-data.json.gz", import.meta.url);
  sampleData ??= JSON.parse(gunzipSync(readPackageFile(file)).toString()) as SortedRecords;
  return sampleData;
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
    const advice =
      "If a bundler has copied this code, keep this package external, with `external` or `externals`, in Next.js with `serverExternalPackages`.";
    throw new Error(`${path} cannot be read: ${describeFileError(cause)}. ${advice}`, { cause });
  }
}
