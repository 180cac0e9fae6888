import { blockStarts } from "./blocks.ts";
import { ABANDONED_MS, DamagedStateError, revisionTime, type State } from "./store.ts";

/** The blocks from this position on, up to the next part, were stored by the write of this revision. */
type Part = [first: number, revision: string];

/**
 * What the state's key holds. Every block's key contains the revision of the write that stored it, so no key is ever used
 * for other content: KV shows the old value of a key for a while, and two writes at once must not mix.
 */
export interface KvState extends State {
  parts: Part[];
  /** The state before, complete: readers that cannot see a block of this state yet are served from it. */
  before: KvState | undefined;
}

const NOTHING_LOADED: KvState = {
  version: 0,
  count: 0,
  revision: "",
  previous: "",
  switchedAt: undefined,
  parts: [],
  before: undefined,
};

/** The key that names the current state. */
export const STATE_KEY = "state";

const BLOCKS = "blocks/";
const STATISTICS = "statistics/";

/**
 * How long after a switch readers may still need what it replaced: an instance trusts its copy of the state for some
 * seconds, and KV may show the old state for up to 60 s. The rest is for clocks that differ.
 */
export const GRACE_MS = 120_000;

/** The key under which a write stores the block that begins at a position. */
export function writtenKey(revision: string, start: number): string {
  return `${BLOCKS}${revision}/${start}`;
}

/** The key of the block of a state that begins at a position. */
export function blockKey({ parts }: KvState, start: number): string {
  const [, revision = ""] = parts.findLast(([first]) => first <= start) ?? [];
  return writtenKey(revision, start);
}

/** The key of the statistics of a state. */
export function statisticsKey({ revision }: Pick<State, "revision">): string {
  return STATISTICS + revision;
}

/**
 * The keys, of those listed, that neither the state nor a write that may be running needs. What the state replaced is
 * known not to be running, however new it is.
 */
export function selectRemovable(listed: string[], state: KvState, now: number): string[] {
  const needed = new Set(listKeys(state));
  const replaced = new Set(state.before ? listKeys(state.before) : []);
  const abandonedBefore = now - ABANDONED_MS;
  return listed.filter((key) => {
    const [, revision] = /^(?:blocks|statistics)\/([^/]+)/.exec(key) ?? [];
    if (BEFORE_BLOCKS.test(key)) return true;
    if (revision === undefined || needed.has(key)) return false;
    return replaced.has(key) || !(revisionTime(revision) > abandonedBefore);
  });
}

/** Keys of the layout before blocks. */
const BEFORE_BLOCKS = /^records\/|^statistics\/\d+\/\d+$/;

/** The few keys that only the state before an append needed. A load replaces all keys, which the next load removes. */
export function listReplaced(state: KvState): string[] {
  const { before } = state;
  if (before?.version !== state.version) return [];
  const [first = 1] = state.parts.at(-1) ?? [];
  return listKeys(before, first);
}

/** The keys of a state: its statistics, and its blocks from a position on. */
function listKeys(state: KvState, first = 1): string[] {
  const starts = blockStarts({ first, last: state.count });
  return [...starts.map((start) => blockKey(state, start)), statisticsKey(state)];
}

/** Whether readers may still need what the state replaced. */
export function isRecent({ switchedAt }: State): boolean {
  return switchedAt !== undefined && Date.now() - Date.parse(switchedAt) < GRACE_MS;
}

/**
 * @param text null if nothing was ever loaded, which is an empty collection, as is one of the layout before blocks, whose
 *   state had `loaded_at`: like the migration of D1, an upgrade discards what was loaded
 */
export function parseState(text: string | null | undefined): KvState {
  if (typeof text !== "string") return NOTHING_LOADED;
  try {
    const value = JSON.parse(text);
    return Object(value).loaded_at === undefined ? requireKvState(value) : NOTHING_LOADED;
  } catch (cause) {
    if (cause instanceof DamagedStateError) throw cause;
    throw new DamagedStateError(`KV holds text that is not JSON in ${STATE_KEY}`, { cause });
  }
}

/** @throws Error if it is not a state */
export function requireKvState(value: unknown): KvState {
  const { version, count, revision, parts } = Object(value);
  if (!isCount(version) || !isCount(count) || typeof revision !== "string" || !Array.isArray(parts))
    throw new DamagedStateError(`KV holds a damaged state: ${JSON.stringify(value)}`);
  return value as KvState;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`KV holds text that is not JSON in ${key}`, { cause });
  }
}
