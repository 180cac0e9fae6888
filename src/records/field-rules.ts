import * as z from "zod";

// The rules for the fields of a record. The loader and the schema share these rules, so they accept the same records.

/** Checks a value. Returns the problem, such as "is not a whole number", or undefined. */
export type FieldCheck = (value: unknown) => string | undefined;

/** The rule for each field, in the order of the fields in every response. */
export const FIELD_RULES = {
  id: checkInteger,
  camera_pk: checkInteger,
  camera_ref: checkCameraRef,
  timestamp: checkTimestamp,
  camera_ok: checkCameraOk,
  cars: checkCount,
  persons: checkCount,
  bicycles: checkCount,
  trucks: checkCount,
  motorcycles: checkCount,
  buses: checkCount,
  model_name: checkModelName,
} satisfies Record<string, FieldCheck>;

function checkInteger(value: unknown): string | undefined {
  return checkNumber(value, "a whole number");
}

function checkCount(value: unknown): string | undefined {
  return checkNumber(value, "a whole number, 0 or greater", 0);
}

function checkNumber(value: unknown, expected: string, min = Number.NEGATIVE_INFINITY): string | undefined {
  if (typeof value !== "number" || !Number.isInteger(value) || value < min) return `is not ${expected}`;
  if (Number.isSafeInteger(value)) return undefined;
  return value > 0 ? `is greater than ${Number.MAX_SAFE_INTEGER}` : `is less than ${Number.MIN_SAFE_INTEGER}`;
}

const UTC_TIME = /* @__PURE__ */ z.regexes.datetime({ precision: 0 });

function checkTimestamp(value: unknown): string | undefined {
  if (typeof value === "string" && UTC_TIME.test(value)) return undefined;
  return "is not a date-time in UTC (YYYY-MM-DDThh:mm:ssZ)";
}

function checkModelName(value: unknown): string | undefined {
  return value === "tf1" ? undefined : 'is not "tf1"';
}

function checkCameraOk(value: unknown): string | undefined {
  if (value === null || value === "True" || value === "False") return undefined;
  if (typeof value === "boolean") return 'is a boolean, not the string "True" or "False"';
  return 'is not "True", "False", or null, which is an empty cell in CSV';
}

/** The maximum number of characters in a `camera_ref`, so that the records of a block fit into one D1 statement. */
export const MAX_CAMERA_REF_LENGTH = 64;

/** A fast check: most values of `camera_ref` match this pattern. */
const COMMON_CAMERA_REF = /^\w[\w-]{0,63}$/;

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

/** Rejects a `camera_ref` that could look like a different `camera_ref`, or that a spreadsheet could run as a formula. */
export function checkCameraRef(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : "";
  if (COMMON_CAMERA_REF.test(text)) return undefined;
  if (text === "" || [...text].length > MAX_CAMERA_REF_LENGTH)
    return `is not a string of 1 to ${MAX_CAMERA_REF_LENGTH} characters`;
  const code = INVISIBLE.exec(text.replaceAll(JOINED, ""))?.[0].codePointAt(0)?.toString(16).toUpperCase();
  if (code !== undefined) return `contains the invisible character U+${code.padStart(4, "0")}`;
  if (text.trim() !== text) return "begins or ends with white space";
  return /^[=+\-@]/.test(text) ? "begins like a spreadsheet formula" : undefined;
}
