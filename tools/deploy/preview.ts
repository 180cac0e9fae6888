import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { z } from "zod";
import { PROJECT, runWrangler } from "../wrangler.ts";
import { ADVICE } from "./advice.ts";
import { readBranch, readCommit } from "./git.ts";
import { startJourney } from "./journey.ts";
import { previewName } from "./name.ts";
import { findPlace, type Place, readConfiguration, requireName, requireSettings } from "./place.ts";
import { describeCommit } from "./production.ts";
import { runRecorded } from "./programs.ts";
import { type ReleaseOptions, release, type Surroundings } from "./release.ts";
import { remove } from "./resources.ts";
import type { Published } from "./version.ts";

const Previewed = z.object({
  type: z.literal("preview"),
  preview_urls: z.array(z.string()).nullish(),
  deployment_urls: z.array(z.string()).nullish(),
});

/** The platform's codes for a preview and for a worker that do not exist. */
const ABSENT = /\[code: (10025|10007|10090)\]/;

export interface PreviewOptions extends ReleaseOptions {
  /** By default the one that is checked out. */
  branch?: string | undefined;
}

/**
 * Deploys a branch to its preview, which has a database and a namespace of its own.
 * @throws with what to do, if a step fails
 */
export async function deployPreview(options: PreviewOptions, surroundings: Surroundings): Promise<Published> {
  const configuration = await readConfiguration();
  const place = await findPreview(configuration, options, surroundings);
  requireSettings(configuration, place.preview);
  const commit = await readCommit(surroundings.folder ?? PROJECT);
  const publish = async (file: string): Promise<Published> => {
    const args = ["preview", "--config", file, "--ignore-base-config", ...nameOptions(place)];
    const entries = await runRecorded(surroundings, [...args, ...describeCommit(commit)]);
    const previewed = entries.map((entry) => Previewed.safeParse(entry).data).find((entry) => entry);
    const address = place.origin ?? previewed?.preview_urls?.[0];
    if (address === undefined)
      throw new Error(
        "The preview has no address: production must have been deployed with preview_urls = true.",
      );
    return { address, version: undefined, fixed: previewed?.deployment_urls?.[0] };
  };
  return release(place, publish, options, surroundings);
}

/**
 * Removes a branch's preview, with its database and its namespace as far as they are its own.
 * @throws with what to do, if a step fails
 */
export async function deletePreview(options: PreviewOptions, surroundings: Surroundings): Promise<void> {
  const place = await findPreview(await readConfiguration(), options, surroundings);
  const journey = startJourney(3, surroundings.say);
  surroundings.onStart?.(journey);
  await journey.step(`remove the preview ${place.preview}`, ADVICE.remove, async (tell) => {
    const args = ["preview", "delete", ...nameOptions(place), "--skip-confirmation"];
    await runWrangler(args, { program: surroundings.wrangler }).catch((error) => {
      if (!ABSENT.test(String(error))) throw error;
      tell("it is gone already");
    });
  });
  await journey.step("remove its database", ADVICE.remove, (tell) =>
    remove("database", place.database, surroundings, tell),
  );
  await journey.step("remove its namespace", ADVICE.remove, (tell) =>
    remove("namespace", place.namespace, surroundings, tell),
  );
}

function nameOptions({ worker, preview }: Place): string[] {
  return ["--name", String(preview), "--worker-name", worker];
}

/** @throws if no branch is given and none is checked out */
async function findPreview(
  configuration: RawConfig,
  { branch }: PreviewOptions,
  { folder = PROJECT }: Surroundings,
): Promise<Place> {
  const chosen =
    branch ??
    (await readBranch(folder).catch(({ message }: Error) => {
      throw new Error(`${message}: say which branch with --branch.`);
    }));
  if (chosen === undefined) throw new Error("No branch is checked out: say which with --branch.");
  return findPlace(configuration, previewName(chosen, requireName(configuration)));
}
