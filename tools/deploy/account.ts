import { z } from "zod";
import type { Wrangler } from "./dependencies.ts";

const Credentials = z.object({ token: z.string("Use CLOUDFLARE_API_TOKEN, not CLOUDFLARE_API_KEY.") });

const Identity = z.object({ accounts: z.array(z.object({ id: z.string() })) });

const Reply = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown(),
});

const Workers = z.array(z.object({ id: z.string() }));

const Settings = z.object({ bindings: z.array(z.record(z.string(), z.unknown())) });

/**
 * Gives access to Cloudflare's API with wrangler's token, for what wrangler has no command for.
 * @returns a function that reads from a path below that of the account, such as `/workers/scripts`
 * @throws if the user is not logged in, or has several accounts and does not choose one
 */
async function createReader(wrangler: Wrangler) {
  const { token } = Credentials.parse(JSON.parse(await wrangler(["auth", "token", "--json"])));
  const account = process.env.CLOUDFLARE_ACCOUNT_ID || (await readOnlyAccount(wrangler));
  const base = process.env.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4";
  const options = { headers: { Authorization: `Bearer ${token}` } };
  return async (path: string): Promise<unknown> => {
    const response = await fetch(`${base}/accounts/${account}${path}`, options);
    const reply = Reply.safeParse(await response.json().catch(() => undefined)).data;
    if (reply?.success) return reply.result;
    const reasons = reply?.errors.map(({ code, message }) => `${message} [code: ${code}]`);
    throw new Error(
      `Cloudflare does not show ${path}: ${reasons?.join(", ") ?? `status ${response.status}`}`,
    );
  };
}

async function readOnlyAccount(wrangler: Wrangler): Promise<string> {
  const { accounts } = Identity.parse(JSON.parse(await wrangler(["whoami", "--json"])));
  const [account, ...others] = accounts;
  if (account && others.length === 0) return account.id;
  throw new Error("The token or login has more than one account. Set CLOUDFLARE_ACCOUNT_ID.");
}

/** @throws if the account has no subdomain of workers.dev, without which a worker has no address there */
export async function requireSubdomain(wrangler: Wrangler): Promise<void> {
  const read = await createReader(wrangler);
  await read("/workers/subdomain").catch((cause) => {
    if (String(cause).includes("[code: 10007]"))
      throw new Error(
        "The account has no subdomain of workers.dev. Choose one in the dashboard, under Workers & Pages, and deploy again.",
        { cause },
      );
    // A token without the permission to read the subdomain can still deploy.
    if (!String(cause).includes("[code: 10000]")) throw cause;
  });
}

/** Reads the ids of all databases and namespaces that the account's workers use in production. */
export async function readUsedIds(wrangler: Wrangler): Promise<Set<unknown>> {
  const read = await createReader(wrangler);
  const used = new Set<unknown>();
  for (const { id } of Workers.parse(await read("/workers/scripts"))) {
    const { bindings } = Settings.parse(await read(`/workers/scripts/${encodeURIComponent(id)}/settings`));
    // A binding names its resource in `id`, `database_id` or `namespace_id`.
    for (const value of bindings.flatMap((binding) => Object.values(binding))) used.add(value);
  }
  return used;
}
