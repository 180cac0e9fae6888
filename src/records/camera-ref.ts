/** A fast check: most values of `camera_ref` match this pattern. */
const COMMON_CAMERA_REF = /^\w[\w-]*$/;

/** Invisible characters, rejected unless `JOINED` matches: control and format characters, separators, fillers and unpaired surrogates. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;

/** Allowed, as in emoji and Persian words: variation selectors after a visible character, and joiners between two visible characters. */
const JOINED = /* @__PURE__ */ new RegExp(
  "(?<=V)[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]?(?:[\\u200c\\u200d](?=V))?".replaceAll(
    "V",
    `[^\\s${INVISIBLE.source.slice(1)}`,
  ),
  "gu",
);

/**
 * Rejects a `camera_ref` that could look like a different `camera_ref`, or that a spreadsheet could run as a formula.
 * @returns The problem, or undefined
 */
export function checkCameraRef(text: string): string | undefined {
  if (COMMON_CAMERA_REF.test(text)) return undefined;
  const code = INVISIBLE.exec(text.replaceAll(JOINED, ""))?.[0].codePointAt(0)?.toString(16).toUpperCase();
  if (code !== undefined) return `contains the invisible character U+${code.padStart(4, "0")}`;
  if (text.trim() !== text) return "begins or ends with white space";
  return /^[=+\-@]/.test(text) ? "begins like a spreadsheet formula" : undefined;
}
