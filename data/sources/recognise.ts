import type { Readable } from "node:stream";
import { type Block, readBlocks } from "./blocks.ts";
import { readJson } from "./json.ts";
import { openBytes } from "./open.ts";
import { Unreadable } from "./problem.ts";
import type { Row, Source } from "./source.ts";
import { readTable } from "./table.ts";

/**
 * Takes a file (`-` is standard input) of records or of a report, in any format there is a reader for, gives
 * its rows. Never throws for what is wrong with the file: that is its last row, a problem.
 */
export async function* readSource(source: Source, stdin?: Readable): AsyncGenerator<Row> {
  let empty = true;
  try {
    for await (const row of readFormat(readBlocks(openBytes(source.file, stdin, source.onRead)), source)) {
      empty = false;
      yield row;
    }
    if (empty) throw new Unreadable("holds no records");
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const { message, line, value } = error;
    yield { problems: [{ file: source.file, line, value, message }] };
  }
}

/** The first character that is not white space tells JSON from CSV. */
async function* readFormat(blocks: AsyncGenerator<Block>, source: Source): AsyncGenerator<Row> {
  for await (const block of blocks) {
    const [first] = block.text.trimStart();
    if (first === undefined) continue;
    const read = first === "{" || first === "[" ? readJson : readTable;
    return yield* read(resume(block, blocks), source);
  }
}

async function* resume(first: Block, blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
  yield first;
  yield* blocks;
}
