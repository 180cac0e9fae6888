import { readConfiguration } from "../../data/stores/configuration.ts";
import { requireSettings } from "../settings.ts";
import { waitForVersion } from "./served-version.ts";
import { createSteps } from "./steps.ts";
import { testDeployment, upload } from "./upload.ts";

const HINT = "Production is not affected.";

const UNDO = `${HINT} Fix the error and run the command again, or remove the preview with \`npx wrangler preview delete\`.`;

/**
 * Deploys a preview and tests it. Its address is printed last.
 * @param name by default that of the branch, which wrangler finds
 * @throws an error with a hint if a setting is wrong or a step fails
 */
export async function deployPreview(name: string | undefined): Promise<void> {
  const { previews = {} } = await readConfiguration();
  requireSettings(previews);
  const step = createSteps(3);
  const { preview_urls: [address] = [], deployment_urls: [ownAddress] = [] } = await step(
    "deploy the preview",
    HINT,
    () => upload(["preview", ...(name === undefined ? [] : ["--name", name])]),
  );
  if (address === undefined)
    throw new Error(
      "The preview has no address. Set preview_urls = true in wrangler.toml, and run the command again.",
    );
  // This address serves only the new deployment.
  const tested = ownAddress ?? address;
  await step("wait for the preview", UNDO, () => waitForVersion(tested, undefined));
  await step("test the preview", UNDO, () => testDeployment(tested));
  console.log(address);
}
