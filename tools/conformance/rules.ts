import type { Rule } from "./rule.ts";
import { ELSEWHERE } from "./rules/elsewhere.ts";
import { LIST_RECORDS } from "./rules/list-records.ts";
import { PAGE_ENVELOPE } from "./rules/page-envelope.ts";
import { RECORD } from "./rules/record.ts";

/**
 * The specification, rule by rule, in its order. What it says twice is judged once, at the more exact place; `also`
 * names the other. "Service 1" to "Service 4" are the sentences of "What the service does".
 */
export const RULES: Rule[] = [...RECORD, ...PAGE_ENVELOPE, ...LIST_RECORDS, ...ELSEWHERE];
