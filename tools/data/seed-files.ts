import { join } from "node:path";
import { PROJECT } from "../project.ts";
import { listInputFiles } from "./formats/input-file.ts";

export function listSeedFiles(): string[] {
  return listInputFiles(join(PROJECT, "data/seed")).files;
}
