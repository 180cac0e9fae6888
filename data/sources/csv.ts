import { CsvError, type Info, parse } from "csv-parse/sync";
import { type Block, LONGEST_LINE } from "./blocks.ts";
import { Unreadable } from "./problem.ts";

/** A row of CSV and the line where it begins; it may span several. */
export interface CsvRow {
  cells: string[];
  line: number;
}

const QUOTE_ERRORS: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: "opens a quote that is not closed",
  CSV_INVALID_CLOSING_QUOTE: "has text between a closing quote and the end of the cell",
  INVALID_OPENING_QUOTE: "has a quote in the middle of a cell that does not begin with one",
};

/**
 * Takes the blocks of a CSV file (RFC 4180), gives its rows, the header among them, without empty lines.
 * Throws `Unreadable` where a quote is wrong: what follows cannot be told apart any more.
 */
export async function* readCsv(blocks: AsyncIterable<Block>): AsyncGenerator<CsvRow> {
  for await (const block of joinRows(blocks)) {
    const { rows, failure } = parseRows(block);
    if (!failure && block.whole) yield* rows;
    else {
      const last = failure ?? new Unreadable("is too long for a row", rows.pop()?.line);
      yield* rows;
      throw last;
    }
  }
}

/** Makes the blocks end where rows end. Quotes come in pairs, so a row is open while their number is odd. */
async function* joinRows(blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
  let open: Block | undefined;
  for await (const next of blocks) {
    const block: Block = open ? { ...next, text: open.text + next.text, line: open.line } : next;
    const closed = block.whole && countQuotes(block.text) % 2 === 0;
    open = closed || block.text.length > 2 * LONGEST_LINE ? undefined : block;
    if (!open) yield { ...block, whole: closed };
  }
  if (open) yield { ...open, whole: true };
}

function countQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count++;
  return count;
}

const OPTIONS = { record_delimiter: ["\r\n", "\n"], relax_column_count: true, skip_empty_lines: true };

function parseRows({ text, line }: Block): { rows: CsvRow[]; failure?: Unreadable } {
  const rows: CsvRow[] = [];
  const count = createLineCount(line);
  const keepRow = (cells: string[], info: Info) => {
    rows.push({ cells, line: count.next(cells, info) });
    // Collected here and not by the parser, which would lose them with the first error.
    return null;
  };
  try {
    parse(text, { ...OPTIONS, on_record: keepRow });
    return { rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = QUOTE_ERRORS[error.code] ?? `is not CSV: ${error.message}`;
    return { rows, failure: new Unreadable(message, count.open(Number(error.empty_lines))) };
  }
}

/**
 * Tells where rows begin, from what the parser counts: the line where a row ends, and every `\r` and `\n`
 * inside a cell as a line of its own, though only `\n` is one.
 */
function createLineCount(first: number) {
  let end = first - 1;
  let surplus = 0;
  let emptyLines = 0;
  return {
    /** The line where a row begins that has just been parsed. */
    next(cells: string[], info: Info): number {
      const expected = end + 1;
      end = first - 1 + info.lines - surplus;
      emptyLines = info.empty_lines;
      if (end === expected) return end;
      const breaks = cells.join("").match(/[\r\n]/g) ?? [];
      const begin = end - breaks.length;
      const returns = breaks.filter((mark) => mark === "\r").length;
      surplus += returns;
      end -= returns;
      return begin;
    },
    /** The line where the row begins that the parser failed in, after so many empty lines. */
    open: (emptyLinesNow: number) => end + 1 + emptyLinesNow - emptyLines,
  };
}
