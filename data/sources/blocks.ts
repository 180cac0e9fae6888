import { Unreadable } from "./problem.ts";

/** A piece of text: whole lines, or a part of a line that is longer than `LONGEST_LINE`. */
export interface Block {
  text: string;
  /** The line in which the text begins, from 1. */
  line: number;
  /** False if the last line of the text goes on in the next block. */
  whole: boolean;
}

/** In characters. A line that is longer comes in parts, so that a whole file in one line needs no more memory. */
export const LONGEST_LINE = 1 << 20;

/**
 * Takes the bytes of a file, gives its text as blocks, without a byte order mark. Throws `Unreadable` if they
 * are not UTF-8 (RFC 3629).
 */
export async function* readBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  let rest = "";
  for await (const chunk of bytes) {
    rest += decode(decoder, chunk, line);
    const end = rest.lastIndexOf("\n") + 1;
    if (end > 0) {
      const text = rest.slice(0, end);
      yield { text, line, whole: true };
      line += countBreaks(text);
      rest = rest.slice(end);
    }
    if (rest.length > LONGEST_LINE) {
      yield { text: rest, line, whole: false };
      rest = "";
    }
  }
  rest += decode(decoder, undefined, line);
  if (rest !== "") yield { text: rest, line, whole: true };
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Uint8Array | undefined,
  line: number,
): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    const [valid = ""] = new TextDecoder().decode(chunk).split("\ufffd", 1);
    throw new Unreadable("is not UTF-8 text", line + countBreaks(valid));
  }
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Takes a block, gives its lines with their breaks. */
export function* splitLines({ text, line }: Block): Generator<{ text: string; line: number }> {
  for (let begin = 0; begin < text.length; line++) {
    const end = text.indexOf("\n", begin) + 1 || text.length;
    yield { text: text.slice(begin, end), line };
    begin = end;
  }
}
