import { NO_STATISTICS, type Statistics } from "../records/statistics.ts";
import { type Block, ContentError } from "./block.ts";
import { MissingBlockError, type Reading, type Store } from "./state.ts";

/** D1 refuses a statement of more than 100 KB. */
const PIECE_BYTES = 80_000;

/** Ends a piece that another one follows. JSON writes a line feed inside a string as \n. */
const CONTINUED = "\n";

/**
 * The statistics of a load as its blocks 0, -1, -2, ...: JSON in ASCII without apostrophes, so that each character takes one byte, also in
 * a statement of SQL.
 */
export function encodeStatistics(statistics: Statistics): Block[] {
  const text = JSON.stringify(statistics).replaceAll(/['\u0080-\uffff]/g, escapeCharacter);
  const pieces = text.match(new RegExp(`.{1,${PIECE_BYTES}}`, "g")) ?? [];
  return pieces.map((piece, index) => ({
    number: -index,
    text: index < pieces.length - 1 ? piece + CONTINUED : piece,
  }));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Reads the statistics of the load of a state.
 * @param reading with the first piece, if it was read with the state
 * @throws ContentError if a piece is missing or damaged
 */
export async function readStatistics(store: Store, { state, text }: Reading): Promise<Statistics> {
  if (state.load === "") return NO_STATISTICS;
  let json = "";
  for (let number = 0, piece = text; ; number--, piece = undefined) {
    piece ??= (await store.readBlocks(state.load, [number]))[0];
    if (typeof piece !== "string") throw new MissingBlockError(state, `Piece ${-number} of the statistics`);
    if (!piece.endsWith(CONTINUED)) return parseStatistics(json + piece);
    json += piece.slice(0, -CONTINUED.length);
  }
}

function parseStatistics(json: string): Statistics {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ContentError(`The statistics are damaged: ${json.slice(0, 100)}. Load the records again.`, {
      cause,
    });
  }
}
