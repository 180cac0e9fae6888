import { captureWrangler, TEMPORARY_ACCOUNT } from "../../data/stores/wrangler.ts";
import type { Programs } from "./run-command.ts";

/** How wrangler prints the address with which the account can be claimed. */
const CLAIM = /Claim URL: (\S+)/;

/**
 * Lets every later command of wrangler, also in scripts that are run, use a temporary account, which Cloudflare deletes after
 * an hour. Creates the account if there is none yet.
 * @returns the address with which the account can be claimed: a secret
 * @throws if wrangler would use another account, because it has a token or a login
 */
export async function openTemporaryAccount({ wrangler }: Programs): Promise<string> {
  if (process.env.CLOUDFLARE_API_TOKEN)
    throw new Error(
      "CLOUDFLARE_API_TOKEN is set, so wrangler would use its account. Unset it for --temporary.",
    );
  process.env[TEMPORARY_ACCOUNT] = "yes";
  const { errors, output } = await captureWrangler(["d1", "list", "--json"], { program: wrangler });
  const [, address] = CLAIM.exec(`${errors}\n${output}`) ?? [];
  if (address !== undefined) return address;
  delete process.env[TEMPORARY_ACCOUNT];
  throw new Error(
    "wrangler is logged in, so it would use that account. Run `npx wrangler logout` first, or deploy without --temporary.",
  );
}
