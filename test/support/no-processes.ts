import processes from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

// Makes quick tests fail when they start a process (vitest.config.ts).
for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]) {
  Object.assign(processes, {
    [name]() {
      throw new Error(
        `A quick test calls ${name}. A test that starts processes is in a file named *.process.test.ts.`,
      );
    },
  });
}
syncBuiltinESMExports();
