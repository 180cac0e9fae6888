/** Kinds of files that cannot be read, by their first bytes, each with what to do about it. */
const KINDS: { start: number[]; message: string }[] = [
  { start: [0x1f, 0x8b], message: "is gzip inside gzip; unpack it once with gunzip" },
  { start: [0x50, 0x4b, 0x03, 0x04], message: "is a zip file or a spreadsheet; unpack it with unzip" },
  { start: [0x50, 0x4b, 0x05, 0x06], message: "is an empty zip file" },
  { start: [0x42, 0x5a, 0x68], message: "is a bzip2 file; unpack it with bunzip2" },
  { start: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], message: "is an xz file; unpack it with unxz" },
  { start: [0x28, 0xb5, 0x2f, 0xfd], message: "is a zstd file; unpack it with unzstd" },
  {
    start: [0x50, 0x41, 0x52, 0x31],
    message: `is a Parquet file; convert it with duckdb -c "COPY 'FILE.parquet' TO 'FILE.csv'"`,
  },
  { start: [0xff, 0xfe], message: "looks like UTF-16; save it as UTF-8" },
  { start: [0xfe, 0xff], message: "looks like UTF-16; save it as UTF-8" },
];

/** The number of bytes that are needed to recognise any kind. */
export const HEAD_LENGTH = 6;

/**
 * Recognises files that are not plain text.
 * @param head the first bytes, up to `HEAD_LENGTH`
 * @returns what the file is and what to do about it; undefined if it may be text
 */
export function describeKind(head: Uint8Array): string | undefined {
  const known = KINDS.find(({ start }) => start.every((byte, index) => head[index] === byte));
  if (known) return known.message;
  // Text has no NUL. In UTF-16, every second byte of an ASCII character is one.
  const [even, odd] = [0, 1].map((index) => head[index] === 0 && head[index + 2] === 0);
  if (even && odd) return "is not text: it begins with NUL bytes";
  return head.length > 2 && (even || odd) ? "looks like UTF-16; save it as UTF-8" : undefined;
}
