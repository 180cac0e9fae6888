import type { TrafficRecord } from "../records/record.ts";
import { addSources, gatherStatistics, type Source, type Statistics } from "../records/statistics.ts";
import { BLOCK_SIZE, type Block, countInBlocks, encodeBlocks } from "./blocks.ts";
import {
  type BlockOwner,
  ConflictError,
  continues,
  createName,
  DamagedStateError,
  type DeadWrites,
  type NewState,
  NOTHING_LOADED,
  type State,
  type StateStatistics,
  type Store,
} from "./store.ts";

/** Sweeps spare what a write that began this recently may still need. */
export const SPARED_MS = 24 * 3_600_000;

/** A write that began longer ago does not switch. It is half of the time above, so clocks may differ by hours. */
export const MAX_WRITE_MS = SPARED_MS / 2;

/** How often a switch is attempted: a load meets another write, or the store fails. */
const SWITCH_ATTEMPTS = 5;

/** KV accepts one write a second to a key. */
const SWITCH_PAUSE_MS = 1_000;

/** Records that are encoded already, by a caller that orders them in a database of its own. */
export interface EncodedRecords {
  /** The full blocks behind those of the base, oldest first. Returns the new tail after the last one. */
  blocks(): Generator<Block, string>;
  /** The statistics of the collection with these records. It is called after the last block. */
  statistics(): Statistics;
}

export interface WriteOptions {
  /** Where the records come from. */
  sources?: Source[];
  /** Called with the number of records that have been written so far. */
  onProgress?: (written: number) => void;
  /** Called when everything is written, before readers are switched. */
  onSwitch?: () => void;
  /** Called if the write succeeded, but left something behind. */
  onWarning?: (message: string) => void;
}

/** A switch failed, and the store does not show whether it happened. */
export class UnknownOutcomeError extends Error {
  constructor(options?: ErrorOptions) {
    super("The store failed at the end, and it is not known whether the new records are served.", options);
  }
}

/**
 * Replaces the collection. The records are written beside the current state, and readers are switched when all of them are
 * stored. If it fails or is interrupted before, the state before is still served completely.
 * @param records oldest first
 * @param options with `expected`, the load fails if the store has another state when readers would be switched; `name` names
 *   the load, and must not be used for other content
 * @returns the new state
 * @throws ConflictError if the state is not the expected one
 * @throws UnknownOutcomeError
 * @throws Error if the store fails; the state before is then still served
 */
export async function load(
  store: Store,
  records: Iterable<TrafficRecord> | EncodedRecords,
  {
    expected,
    name = createName(Date.now()),
    ...options
  }: WriteOptions & { expected?: State; name?: string } = {},
): Promise<State> {
  const beganAt = Date.now();
  if ((await readReplaceable(store)).load !== "") await store.sweep(findDeadWrites(store));
  const encoded = "blocks" in records ? records : encode(records);
  return write(store, encoded, { load: name, revision: name }, { beganAt, expected, ...options });
}

/**
 * Adds records behind those that are loaded. If nothing was loaded, this is a load.
 * @param records oldest first, all newer than what is loaded
 * @param base the state, with its statistics, that the records were checked against
 * @returns the new state
 * @throws ConflictError if the state is another one meanwhile
 * @throws UnknownOutcomeError
 * @throws Error if the store takes loads only or fails; the state before is then still served
 */
export async function append(
  store: Store,
  records: Iterable<TrafficRecord> | EncodedRecords,
  base: StateStatistics,
  options: WriteOptions = {},
): Promise<State> {
  requireAppends(store);
  const { state } = base;
  const beganAt = Date.now();
  const revision = createName(beganAt);
  const isEmpty = state.load === "";
  const owner: BlockOwner = { load: isEmpty ? revision : state.load, revision, base: state };
  const encoded = "blocks" in records ? records : encode(records, base);
  return write(store, encoded, owner, { beganAt, expected: state, ...options });
}

/** @param base what the records continue, if it is not empty */
function encode(records: Iterable<TrafficRecord>, base?: StateStatistics): EncodedRecords {
  const gathering = gatherStatistics(base?.statistics);
  const { tail, count } = base?.state ?? NOTHING_LOADED;
  function* pass() {
    for (const record of records) {
      gathering.add(record);
      yield record;
    }
  }
  return {
    blocks: () => encodeBlocks(pass(), tail, countInBlocks(count) + 1),
    statistics: gathering.statistics,
  };
}

/** @throws Error if the store takes loads only */
export function requireAppends({ takesAppends }: Store): void {
  if (takesAppends) return;
  throw new Error(
    "Records cannot be added to a collection in KV, because KV cannot compare before it writes. Use D1, or export the records, add yours to the file, and load it.",
  );
}

interface Write extends WriteOptions {
  beganAt: number;
  expected?: State | undefined;
}

/** Writes, switches, and then removes what is not needed any more. A write that fails removes its own blocks. */
async function write(
  store: Store,
  records: EncodedRecords,
  owner: BlockOwner,
  options: Write,
): Promise<State> {
  const { beganAt, sources = [], onWarning = () => {} } = options;
  const written: Pick<Block, "first">[] = [];
  try {
    const tail = await writeBlocks(store, records.blocks(), owner, written, options.onProgress);
    const statistics = addSources(records.statistics(), sources);
    const { load, revision } = owner;
    options.onSwitch?.();
    const next = { load, revision, count: statistics.records, tail, statistics };
    const { state, replaced } = await switchReaders(store, next, beganAt, options.expected);
    const dead = findDeadWrites(store, replaced.load === load ? [] : [replaced.load]);
    const isSwept = replaced.load !== load || written.length > 0;
    if (isSwept) await store.sweep(dead).catch((error) => onWarning(describeLeftovers(error)));
    return state;
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) await store.discard(written, owner).catch(() => undefined);
    throw error;
  }
}

/** @returns the tail that the blocks leave */
async function writeBlocks(
  store: Store,
  blocks: Generator<Block, string>,
  owner: BlockOwner,
  written: Pick<Block, "first">[],
  onProgress: WriteOptions["onProgress"] = () => {},
): Promise<string> {
  let batch: Block[] = [];
  let bytes = 0;
  const flush = async () => {
    // Noted before the attempt: some of them may be stored even if it fails.
    written.push(...batch.map(({ first }) => ({ first })));
    await store.writeBlocks(batch, owner);
    onProgress(written.length * BLOCK_SIZE);
    batch = [];
    bytes = 0;
  };
  for (;;) {
    const { done, value } = blocks.next();
    if (done) {
      if (batch.length > 0) await flush();
      return value;
    }
    batch.push(value);
    bytes += value.text.length;
    if (bytes >= store.batchBytes) await flush();
  }
}

/**
 * Switches readers. After an error, the state is read again: the switch may have happened, and others after it. A load that met
 * another write replaces that one too.
 * @param seen the only state that may be replaced; undefined for any
 */
async function switchReaders(
  store: Store,
  next: NewState,
  beganAt: number,
  seen: State | undefined,
): Promise<{ state: State; replaced: State }> {
  for (let attempt = 1; ; attempt++) {
    const replaced = await findReplaced(store, seen);
    requireRecent(beganAt);
    const result = await trySwitch(store, next, replaced);
    if (!(result instanceof Error)) return { state: result, replaced };
    // D1 has retried other failures already. KV has not, because before each attempt the state must be read.
    const isRepeated = result instanceof ConflictError ? seen === undefined : store.lagMs > 0;
    if (!isRepeated || attempt === SWITCH_ATTEMPTS)
      throw store.lagMs > 0 ? new UnknownOutcomeError({ cause: result }) : result;
    if (store.lagMs > 0) await new Promise((resolve) => setTimeout(resolve, SWITCH_PAUSE_MS));
  }
}

/** The state to replace. A store that takes appends compares it with the current one in the switch itself. */
async function findReplaced(store: Store, seen: State | undefined): Promise<State> {
  if (seen && store.takesAppends) return seen;
  const current = await readReplaceable(store);
  if (seen && current.revision !== seen.revision) throw new ConflictError();
  return current;
}

/**
 * @returns the new state, or one that came after it, even if the store reported a failure; otherwise the failure
 * @throws UnknownOutcomeError
 */
async function trySwitch(store: Store, next: NewState, replaced: State): Promise<State | Error> {
  try {
    return await store.switchTo(next, replaced);
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    const state = await readReplaceable(store).catch(() => {
      throw new UnknownOutcomeError({ cause });
    });
    return continues(state, next) ? state : cause;
  }
}

/** The current state. A damaged one is replaced like an empty one: a load is how it is repaired. */
async function readReplaceable(store: Store): Promise<State> {
  try {
    return await store.readState({ newest: true });
  } catch (error) {
    if (error instanceof DamagedStateError) return NOTHING_LOADED;
    throw error;
  }
}

/** @throws Error if a sweep may have removed what the write stored */
function requireRecent(beganAt: number): void {
  if (Date.now() - beganAt <= MAX_WRITE_MS) return;
  throw new Error(
    `The write began more than ${MAX_WRITE_MS / 3_600_000} hours ago, so what it stored may have been removed. Run the command again.`,
  );
}

/** @param replaced the loads that the caller replaced */
function findDeadWrites({ isExclusive }: Store, replaced: string[] = []): DeadWrites {
  // "~" comes after every name.
  return { names: replaced, before: isExclusive ? "~" : createName(Date.now() - SPARED_MS) };
}

function describeLeftovers(error: unknown): string {
  const reason = error instanceof Error ? error.message : error;
  return `The new records are served, but what they replaced could not be removed: ${reason} The next load removes it.`;
}
