const STRING = String.raw`"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\x1f]*)*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const VALUE = `${STRING}|${NUMBER}|true|false|null|[[{]`;

/** What may come next in JSON (RFC 8259). */
const EXPECTED = {
  value: new RegExp(VALUE, "y"),
  firstValue: new RegExp(`${VALUE}|]`, "y"),
  key: new RegExp(STRING, "y"),
  firstKey: new RegExp(`${STRING}|}`, "y"),
  colon: /:/y,
  end: /[,\]}]/y,
};

const WHITE_SPACE = /[ \t\r\n]*/y;

/** Finds the index where a text stops being JSON. `JSON.parse` does not always tell, and other runtimes never do. */
export function findSyntaxError(text: string): number {
  const closers: string[] = [];
  let expected: keyof typeof EXPECTED = "value";
  for (let at = 0; ; ) {
    at += match(WHITE_SPACE, text, at)?.length ?? 0;
    const token = match(EXPECTED[expected], text, at);
    const isClosed = token === "}" || token === "]";
    if (token === undefined || (isClosed && closers.pop() !== token)) return at;
    at += token.length;
    if (token === "{") closers.push("}");
    if (token === "[") closers.push("]");
    expected = getNext(token, expected, closers.at(-1));
  }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** @param closer The character that closes the innermost object or array */
function getNext(token: string, expected: keyof typeof EXPECTED, closer?: string): keyof typeof EXPECTED {
  if (token === "{") return "firstKey";
  if (token === "[") return "firstValue";
  if (token === ":") return "value";
  if (token === ",") return closer === "}" ? "key" : "value";
  const isKey = token !== "}" && (expected === "key" || expected === "firstKey");
  return isKey ? "colon" : "end";
}
