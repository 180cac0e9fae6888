import { spawnSync } from "node:child_process";
import fs, { readdirSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Adds the sizes of the files in a folder. */
export function measureFolder(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Until the test ends, `statfs` reports a disk that contains only a folder. The size of some network disks is unknown. */
export function simulateDisk(folder: string, disk: { bytes: number; isKnown: boolean }): void {
  const { statfsSync } = fs;
  const replace = (replacement: unknown) => {
    Object.assign(fs, { statfsSync: replacement });
    syncBuiltinESMExports();
  };
  replace(() => ({ bavail: disk.bytes - measureFolder(folder), bsize: 1, blocks: Number(disk.isKnown) }));
  onTestFinished(() => replace(statfsSync));
}

/** Mounts a disk of its own for a folder until the test ends. If only another user may do that, `statfs` reports such a disk. */
export function mountDisk(folder: string, bytes: number): void {
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
  if (status === 0) onTestFinished(() => void spawnSync("umount", [folder]));
  else simulateDisk(folder, { bytes, isKnown: true });
}
