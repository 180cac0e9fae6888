import { globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { readDocument } from "../support/documentation.ts";

/** The folders and files of the table in docs/architecture.md, by line, from the top. */
const LAYERS = Array.from(
  readDocument("docs/architecture.md").matchAll(/^\| (`.*?`) \|/gm),
  ([, names = ""]) => Array.from(names.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
);

const findLayer = (file: string) =>
  LAYERS.findIndex((names) =>
    names.some((name) => (name.endsWith("/") ? file.startsWith(name) : file === name)),
  );

/** Lists the files of `src/` that a file imports. */
const listImports = (file: string) =>
  Array.from(readDocument(file).matchAll(/ from "(\.[^"]+)"/g), ([, path = ""]) =>
    relative("src", join(dirname(file), path)),
  ).filter((path) => !path.startsWith(".."));

test.each(globSync("src/**/*.{ts,tsx}"))(
  "%s is in the table of docs/architecture.md, and imports only what is below it",
  (file) => {
    const layer = findLayer(relative("src", file));
    expect(layer).not.toBe(-1);
    expect(listImports(file).filter((path) => findLayer(path) < layer)).toEqual([]);
  },
);
