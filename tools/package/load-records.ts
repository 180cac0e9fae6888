import type { Readable } from "node:stream";
import project from "../../package.json" with { type: "json" };
import { printError } from "../command-line/print.ts";
import { hashContent } from "../data/snapshot-content.ts";
import {
  describeZeroed,
  type StagedRecords,
  type StageOptions,
  stageBody,
  stageFiles,
  stageRecords,
} from "../data/staging/staging.ts";
import type { ServiceOptions } from "./index.d.ts";
import type { SortedRecords } from "./sample-data.ts";

/** Where the records of a service come from. They are not checked yet. */
export interface RecordInput extends Pick<ServiceOptions, "files" | "modelName" | "source"> {
  records?: Iterable<unknown> | undefined;
  /** The body of a request. */
  body?: Readable | undefined;
}

export type LoadReporting = Pick<StageOptions, "openStep" | "warn">;

/**
 * Checks and sorts records, files or the body of a request.
 * @throws InputError if a record is invalid
 */
export async function loadRecords(
  input: RecordInput,
  { warn = printError, openStep }: LoadReporting = {},
): Promise<SortedRecords> {
  const staged = await stage(input, { warn, openStep });
  if (staged.zeroed > 0) warn(`Warning: ${describeZeroed(staged.zeroed)}.`);
  try {
    const { count, source } = staged;
    const blocks = [...staged.blocks()];
    // A restart does not change the id.
    return { id: hashContent(project.version, blocks), count, source, blocks };
  } finally {
    staged.close();
  }
}

function stage(input: RecordInput, reporting: LoadReporting): Promise<StagedRecords> {
  const { records, body, files = [], modelName, source } = input;
  if (records) return stageRecords(records, { modelName, source });
  if (body) return stageBody(body, modelName);
  return stageFiles(files, { modelName, source, ...reporting });
}
