/** Most values match this pattern, and need no other check. */
const COMMON_CAMERA_REF = /^\w[\w-]*$/;

/** Control and format characters, unpaired surrogates, separators, and fillers, as the members of a character class. */
const INVISIBLE =
  "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\u2800";
const INVISIBLE_CHARACTER = new RegExp(`[${INVISIBLE}]`, "u");
const VISIBLE_CHARACTER = `[^\\s${INVISIBLE}]`;

/** Allowed, as in emoji and Persian words: variation selectors after a visible character, and joiners between two visible characters. */
const JOINERS = new RegExp(
  `(?<=${VISIBLE_CHARACTER})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]?(?:[\\u200c\\u200d](?=${VISIBLE_CHARACTER}))?`,
  "gu",
);

/**
 * Rejects a `camera_ref` with characters that nobody sees, or that a spreadsheet could run as a formula.
 * @returns The problem, or undefined
 */
export function checkCameraRef(text: string): string | undefined {
  if (COMMON_CAMERA_REF.test(text)) return undefined;
  const [invisible] = INVISIBLE_CHARACTER.exec(text.replaceAll(JOINERS, "")) ?? [];
  if (invisible !== undefined) return `contains the invisible character ${formatCodePoint(invisible)}`;
  if (text.trim() !== text) return "begins or ends with white space";
  // Some spreadsheets also read the full-width and other forms of these characters.
  const start = text.slice(0, 1).normalize("NFKC");
  return /^[=+\-@]/.test(start) ? "begins like a spreadsheet formula" : undefined;
}

/** Returns what a reader sees: two cameras whose `camera_ref`s differ, and look the same, are one camera or a mistake. */
export function getAppearance(cameraRef: string): string {
  if (COMMON_CAMERA_REF.test(cameraRef)) return cameraRef;
  return cameraRef
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize()
    .replaceAll(/\s+/g, " ");
}

/** Formats a character as U+200B. */
function formatCodePoint(character: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  return `U+${code}`;
}
