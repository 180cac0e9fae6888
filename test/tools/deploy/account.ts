import { afterAll, expect, test } from "vitest";
import { openCloudflare } from "./cloudflare.ts";
import { createProject } from "./project.ts";

export const WORKER = "traffic-count-records";
export const DATABASE = `${WORKER}-db`;
export const NAMESPACE = "0f2ac74b498b48028cb68387c421e279";
export const DEPLOY = ["tools/deploy/deploy.ts", "deploy"];
export const PREVIEW = ["tools/deploy/deploy.ts", "preview"];
export const DATA = "tools/data/data-command.ts";
export const WRANGLER = "node_modules/wrangler/bin/wrangler.js";

/** Adds a test that runs after the previous test of its group. It starts wrangler many times, while other groups do so, too. */
export const testNext = (name: string, body: () => Promise<void>) =>
  test(name, { concurrent: false, timeout: 900_000 }, body);

/** Opens an account for a group of tests, and a clone of the repository that deploys to this account, beside another project. */
export async function useAccount() {
  const api = await openCloudflare();
  const project = createProject(api.origin);
  project.addOtherConfigurations();
  // The address that wrangler reports does not exist.
  project.configure('PUBLIC_ORIGIN = ""', `PUBLIC_ORIGIN = "${api.origin}"`);
  afterAll(async () => {
    expect(api.unknown, "requests that the stub does not know").toEqual([]);
    await api.close();
  });
  return {
    api,
    project,
    /** Runs a command, and expects an exit status. */
    async run(status: number, args: string[], changes?: NodeJS.ProcessEnv) {
      const finished = await project.run(args, changes);
      expect(finished.status, finished.stdout + finished.stderr).toBe(status);
      return finished;
    },
    listDatabases: () => [...api.databases.values()].map(({ name }) => name),
    /** Reads the current snapshot in the only database. */
    readCurrentSnapshot() {
      const [database] = api.databases.values();
      return database?.sqlite.prepare("SELECT id, count, source FROM current_snapshot").get();
    },
    /** Lists the versions that were deployed to production, newest last. */
    listVersions: (worker = WORKER) => api.workers.get(worker) ?? [],
    /** Binds a namespace as described in docs/deploying.md. */
    chooseKv(id = `id = "${NAMESPACE}"`) {
      project.configure('STORE = "d1"', 'STORE = "kv"');
      project.configure(/# (\[\[kv_namespaces\]\])\n# (.*)/, `$1\n$2\n${id}`);
    },
  };
}
