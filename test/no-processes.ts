import processes from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

// In the quick tests, starting a process fails.
for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]) {
  Object.assign(processes, {
    [name]() {
      throw new Error(`A quick test must not start a process, but ${name} was called.`);
    },
  });
}
syncBuiltinESMExports();
