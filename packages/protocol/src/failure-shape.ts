import { z } from "zod";
import { FAILURE_CODES, type FailureCode } from "./failures.js";

/** A failure as it is checked on arrival. */
export const failureShape = z.object({
  code: z.enum(FAILURE_CODES as [FailureCode, ...FailureCode[]]),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
  retry: z.enum(["never", "after_change", "later", "same_operation"]),
});
