import { loadSeed } from "../../data/load-seed.ts";
import { useStore } from "../stores/open.ts";
import { PROJECT } from "../wrangler.ts";
import { ADVICE } from "./advice.ts";
import { listChanges } from "./git.ts";
import { type Journey, startJourney } from "./journey.ts";
import { type Place, readConfiguration, writeConfiguration } from "./place.ts";
import { type Programs, runScript } from "./programs.ts";
import { ensure } from "./resources.ts";
import { awaitVersion, type Published, type Waiting } from "./version.ts";

/** Pages of the collection that are held against the specification, at each end: minutes less than all of them. */
const PAGES = "20";

export interface ReleaseOptions {
  /** Deploy without looking at the tree and the code. */
  skipChecks?: boolean | undefined;
}

/** What a release takes from the outside. */
export interface Surroundings extends Programs {
  /** Told each line. */
  say(line: string): void;
  /** Given the journey when it begins, for whoever must say where it stands. */
  onStart?(journey: Journey): void;
  /** Told what was deployed as soon as it is, whatever the steps after it find. */
  onPublish?(published: Published): void;
  /** The repository; by default this project's. */
  folder?: string | undefined;
  /** Where configurations with ids are written; by default .wrangler/deployments. */
  deployments?: string | undefined;
  /** The files that are loaded where nothing is; by default the seed. */
  seed?: string[] | undefined;
  waiting?: Waiting | undefined;
}

/** Takes the way from a tree to a service that answers as specified. Each step finds what is there and goes on. */
export async function release(
  place: Place,
  publish: (configuration: string) => Promise<Published>,
  options: ReleaseOptions,
  surroundings: Surroundings,
): Promise<Published> {
  const journey = startJourney(options.skipChecks ? 7 : 8, surroundings.say);
  surroundings.onStart?.(journey);
  if (!options.skipChecks) await journey.step("check the code", ADVICE.check, () => checkCode(surroundings));
  const config = await journey.step("find the database and the namespace", ADVICE.account, (tell) =>
    findResources(place, surroundings, tell),
  );
  const choice = { store: place.store, remote: true, config, program: surroundings.wrangler };
  const { version } = await journey.step("bring the store up to date", ADVICE.store, () =>
    useStore(choice, ({ store }) => store.readState(true)),
  );
  await journey.step("load the seed, if nothing is loaded", ADVICE.seed, async (tell) => {
    if (version === 0) return loadSeed(choice, surroundings.seed);
    tell(`version ${version} is loaded and stays`);
  });
  const published = await journey.step("deploy the worker", ADVICE.deploy, async (tell) => {
    const done = await publish(config);
    tell(done.address);
    surroundings.onPublish?.(done);
    return done;
  });
  const { undo } = place.preview === undefined ? ADVICE.production : ADVICE.preview;
  await journey.step("wait for the new version", ADVICE.wait + undo, async (tell) =>
    tell(await awaitVersion(published, surroundings.waiting)),
  );
  await journey.step("run the HTTP suite", ADVICE.suite + undo, () =>
    runScript(surroundings, "test:live", [], { BASE_URL: published.address }),
  );
  await journey.step("hold it against the specification", ADVICE.suite + undo, () =>
    runScript(surroundings, "conformance", [published.address, "--pages", PAGES, "--concurrency", "4"]),
  );
  return published;
}

/** What is looked at before a deployment: the scripts of `npm run check`, but for the tests, which take CI minutes. */
const CHECKS = ["format", "lint", "types"];

/** @throws unless the tree is as committed, formatted, and without a mistake that the linter or the types find */
async function checkCode(surroundings: Surroundings): Promise<void> {
  const changes = await listChanges(surroundings.folder ?? PROJECT);
  if (changes !== "") throw new Error(`The tree is not as committed:\n${changes}`);
  for (const check of CHECKS) await runScript(surroundings, check);
}

/** @returns the path of a configuration with their ids */
async function findResources(
  place: Place,
  surroundings: Surroundings,
  tell: (line: string) => void,
): Promise<string> {
  const database = await ensure("database", place.database, surroundings, tell);
  const namespace = await ensure("namespace", place.namespace, surroundings, tell);
  const configuration = await readConfiguration();
  return writeConfiguration(configuration, place, database, namespace, surroundings.deployments);
}
