import { escapeInvisible } from "../../src/escape.ts";

// Everything that commands print goes through this file, because any text can quote a file, a service or a client, whose control
// characters could change the terminal.

export function print(text: string): void {
  console.log(escapeLines(text));
}

export function printError(text: string): void {
  console.error(escapeLines(text));
}

/** Escapes everything that a terminal does not show, except line breaks. JSON stays the same JSON. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeInvisible).join("\n");
}
