import { describeCollection } from "./suite/collection.ts";
import { describeConditional } from "./suite/conditional.ts";
import { describeOperation } from "./suite/operation.ts";
import { describePages } from "./suite/pages.ts";
import { describeSite } from "./suite/site.ts";
import { type OpenTarget, surveyBefore } from "./survey.ts";

/** Tests of the service over HTTP that pass for any deployment and any collection. They only read. */
export function describeTarget(open: OpenTarget): void {
  const survey = surveyBefore(open);
  describePages(open, survey);
  describeConditional(open, survey);
  describeCollection(open);
  describeSite(open, survey);
  describeOperation(open, survey);
}
