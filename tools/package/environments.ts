import type { Readable } from "node:stream";
import project from "../../package.json" with { type: "json" };
import { requireOrigin } from "../../src/http/origin.ts";
import { createStore, type StoreEnv } from "../../src/store/create-store.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { ServiceOptions } from "./index.d.ts";
import type { LoadReporting, RecordInput } from "./load-records.ts";
import { readSampleData } from "./sample-data.ts";
import { formatFaults, requireShape, ServiceSchema } from "./service-options.ts";

/** Creates the variables that all environments of a service share. */
function createVariables(options: ServiceOptions) {
  const { publicOrigin = "", faults = "on" } = options;
  if (publicOrigin) requireOrigin("The public origin", publicOrigin);
  return {
    STORE: "memory",
    PUBLIC_ORIGIN: publicOrigin,
    RATE_LIMIT: "off",
    FAULTS: faults,
    PREFER: formatFaults(options),
    CF_VERSION_METADATA: { id: project.version, tag: "", timestamp: "" },
  };
}

/** Creates the environment of a collection, which inherits the variables, so that a change of PREFER applies to every environment. */
async function createEnvironment(
  variables: object,
  input: RecordInput,
  reporting: LoadReporting,
): Promise<StoreEnv> {
  requireSqlite();
  // At once: the caller can change its records while this process waits.
  const records = input.records && Array.from(input.records, copyRecord);
  const isSample = !records && !input.files && !input.body;
  // Imported here, because the sample data does not need this code.
  const read = isSample ? readSampleData : (await import("./load-records.ts")).loadRecords;
  const { blocks, ...snapshot } = await read({ ...input, records }, reporting);
  const MEMORY = createMemoryStore({ ...snapshot, loaded_at: new Date().toISOString() }, blocks);
  return Object.assign(Object.create(variables), { MEMORY });
}

/** Creates an environment for each collection of a service, because the caches belong to an environment. */
export function createEnvironments(
  options: ServiceOptions,
  { onReplaced, ...reporting }: LoadReporting & { onReplaced(): void },
) {
  const variables = createVariables(options);
  const load = (input: RecordInput) => createEnvironment(variables, input, reporting);
  const { modelName } = options;
  const first = load(options);
  let initial = first;
  let served = first;
  let begun = 0;
  let servedNumber = 0;
  /** Serves the next records when they are complete. Of two replacements at a time, the one that began later is served. */
  const serve = async (next: Promise<StoreEnv>): Promise<void> => {
    const number = ++begun;
    await Promise.all([first, next]);
    if (number < servedNumber) return;
    servedNumber = number;
    served = next;
    onReplaced();
  };
  return {
    variables,
    ready: first,
    getEnvironment: () => served,
    async replace(records?: ServiceOptions["records"]) {
      requireShape(ServiceSchema, { records });
      await serve(records ? load({ records, modelName }) : initial);
    },
    /** Replaces all records, as `replace` does, by those in the body of a request, in any format. */
    replaceByBody: (body: Readable) => serve(load({ body, modelName })),
    /** Replaces all records by those that the files have now, and returns their number. */
    async reload() {
      const previous = initial;
      const next = load(options);
      // At once, so that `replace` does not restore the previous records while the files are read.
      initial = next.catch(() => previous);
      await serve(next);
      const { snapshot } = await createStore(await next).readCurrent();
      return snapshot.count;
    },
  };
}

/** Copies a record, or a page with its records. Returns anything else unchanged, for the message that it is not a record. */
function copyRecord(record: unknown): unknown {
  const isObject = typeof record === "object" && record !== null && !Array.isArray(record);
  if (!isObject) return record;
  const copy: Record<string, unknown> = { ...record };
  if (Array.isArray(copy.results)) copy.results = copy.results.map(copyRecord);
  return copy;
}

/**
 * Loads SQLite without its warning that it is experimental.
 * @throws Error if this Node has no SQLite
 */
function requireSqlite(): void {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  // Node has this function from 20.16 and 22.3 on.
  const sqlite: unknown = process.getBuiltinModule?.("node:sqlite");
  process.emitWarning = emitWarning;
  if (sqlite) return;
  const advice = "Use Node 22.13 or newer, without --no-experimental-sqlite.";
  throw new Error(`The package needs SQLite, which Node ${process.version} does not have. ${advice}`);
}
