const LOG_IN =
  "Log in (`npx wrangler login`), or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID: the token needs Workers Scripts, Workers KV Storage and D1, all Edit.";

/** What to do when a step fails. */
export const ADVICE = {
  check:
    "Commit what is to be deployed and mend what the checks say. `--skip-checks` deploys without them; nothing was deployed.",
  account: `${LOG_IN} Nothing was deployed.`,
  store:
    "If the message names a migration that failed, mend it: those before it are applied and stay. Then deploy again. What is loaded stays, and the code that serves is the old one.",
  seed: "Deploy again: a load that fails leaves nothing half-loaded. The free plan allows 100,000 rows written per day, of which the seed takes fewer than 100. The code that serves is the old one.",
  deploy:
    "The message says what the platform refused. A new account has to choose its workers.dev subdomain once, in the dashboard under Workers & Pages. The code that serves is the old one.",
  wait: "Deploy again if it is a matter of minutes. ",
  suite: "The worker is deployed and serves. ",
  production: { undo: "`npm run rollback` goes back to the version before." },
  preview: { undo: "Production is untouched; push a correction, or `npm run preview -- --delete`." },
  rollback:
    "`npx wrangler versions list` lists the versions; `npm run rollback -- ID` goes back to one of them.",
  remove: "Run it again: what is gone is passed over.",
  login: LOG_IN,
} as const;
