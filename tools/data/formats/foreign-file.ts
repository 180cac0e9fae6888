import { formatValue } from "../../messages.ts";

// Files that people load by mistake. A message says what the file is, because "is not CSV" would not help.

/** The first bytes of a file as Latin-1, and what to say of it. */
const SIGNATURES = [
  ["PK\x03\x04", "is a ZIP archive or a spreadsheet; unpack it, or save it as CSV in UTF-8"],
  [
    "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "is a file of an old Office program, such as .xls; save it as CSV in UTF-8",
  ],
  ["SQLite format 3\0", "is a SQLite database; export its table as CSV in UTF-8"],
  ["ARROW1", "is an Arrow file; convert it to CSV in UTF-8"],
  ["FEA1", "is a Feather file; convert it to CSV in UTF-8"],
  ["PAR1", "is a Parquet file; convert it to CSV in UTF-8"],
  ["\x1f\x8b", "was gzipped twice; unpack it once"],
  ["BZh", "is compressed with bzip2; unpack it, or use gzip"],
  ["\xfd7zXZ", "is compressed with xz; unpack it, or use gzip"],
  ["7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it"],
  ["\x04\x22M\x18", "is compressed with LZ4; unpack it, or use gzip"],
  ["(\xb5/\xfd", "is compressed with Zstandard; unpack it, or use gzip"],
  ["\xff\xfe", "is UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"],
  ["\xfe\xff", "is UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"],
] as const;

/** A tar archive has its signature behind the name and the attributes of its first file. */
const TAR_SIGNATURE = "ustar";
const TAR_SIGNATURE_START = 257;

/** The number of bytes that `describeBinary` needs. */
export const SIGNATURE_LENGTH = TAR_SIGNATURE_START + TAR_SIGNATURE.length;

/**
 * Describes a file that is not UTF-8 text.
 * @param head Its first bytes as Latin-1
 * @returns undefined if the file could be text with some wrong bytes
 */
export function describeBinary(head: string): string | undefined {
  if (head.startsWith(TAR_SIGNATURE, TAR_SIGNATURE_START)) return "is a tar archive; unpack it";
  return SIGNATURES.find(([start]) => head.startsWith(start))?.[1];
}

/** What text that is neither JSON nor CSV begins with, and what to say of it. */
const BEGINNINGS = [
  [/^<[!?a-z]/i, "is HTML or XML; save the JSON instead, with format=json in the URL"],
  [/^(--|(CREATE|INSERT|PRAGMA|BEGIN) )/, "is SQL; export the table as CSV in UTF-8"],
  [/^(\/\/|\/\*|#)/, "begins with a comment, which JSON and CSV do not have; remove it"],
  [/^HTTP\//, "begins with the headers of a response; save it without curl -i"],
  [/^[^\n]*\r\r\n/, "ends its lines with CR CR LF; remove the CRs with tr -d '\\r'"],
  [/^[^\n]*\r[^\n]/, "ends its lines with CR only; convert it with tr '\\r' '\\n'"],
] as const;

/**
 * Describes text that is neither JSON nor CSV.
 * @param text The beginning of the text, without white space in front of it
 * @returns undefined if the text could be CSV
 */
export function describeText(text: string): string | undefined {
  const known = BEGINNINGS.find(([pattern]) => pattern.test(text));
  if (known) return known[1];
  // Such as `callback(` or `var records =`. A row of CSV would have a separator there.
  const [before = ""] = text.split(/[{[]\s*["{[]/, 1);
  const isBeforeJson = before.length < text.length && !/^.*[,;\t]/.test(before);
  if (!isBeforeJson) return undefined;
  return `begins with ${formatValue(before.trim())} in front of its JSON; remove it`;
}
