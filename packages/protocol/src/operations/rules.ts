import { z } from "zod";
import { token } from "../ids.js";
import { operation } from "../operation.js";
import { subjects } from "../subjects.js";

/** Patterns in one list: more than a person writes, few enough to look at for each request. */
export const URL_PATTERNS_MAX = 200;
const URL_PATTERN_CHARS_MAX = 2_000;

/** Lists of addresses that are kept by name. */
export const URL_PRESETS = ["search-engines", "private-network"] as const;
export type UrlPreset = (typeof URL_PRESETS)[number];

/**
 * `[scheme://]host[:port][/path]`, or a scheme alone (`http:`), or a preset.
 * host: exactly that one; `*.example.com` is example.com and all below it; `*` is any; `[::1]` in brackets.
 * scheme: http (ws too), https (wss too), `*` or none is any. port: exactly that one; none is any.
 * path: a prefix of whole segments, so `/a` is `/a` and `/a/b` and not `/ab`; none is any.
 */
export const URL_PATTERN =
  /^(?:(?:https?|wss?|data|blob):|(?:(?:https?|wss?|\*):\/\/)?(?:\*|(?:\*\.)?[^\s/:*?#@[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:\/[^\s?#]*)?)$/i;

export const urlPattern = z
  .string()
  .min(1)
  .max(URL_PATTERN_CHARS_MAX)
  .regex(URL_PATTERN, "must be [scheme://]host[:port][/path], a scheme such as `http:`, or a preset");

const patterns = z.array(urlPattern).max(URL_PATTERNS_MAX);

/** What addresses a project, or the whole stack, may load. What is denied is not loaded, whatever is allowed. */
export const urlRules = z.strictObject({ allow: patterns.default([]), deny: patterns.default([]) });
export type UrlRules = z.infer<typeof urlRules>;

export const NO_URL_RULES: UrlRules = { allow: [], deny: [] };

const FORM =
  "Each is host, *.host (itself and all below it), host:port, scheme://host/path, a scheme such as `http:`, " +
  `or a preset: ${URL_PRESETS.join(", ")}.`;

export const ruleOperations = [
  operation({
    name: "project_rules",
    lane: "control",
    subject: subjects.control("project_rules"),
    owner: "task-control",
    answers: "state",
    sentence:
      "Sets what addresses a project may load, by anything that its pages do; with neither list it only tells them.",
    request: z.strictObject({
      workspaceId: token.describe("The project."),
      allow: patterns.optional().describe(`With any, nothing else is loaded; [] allows all. ${FORM}`),
      deny: patterns.optional().describe("Not loaded, whatever is allowed; [] denies nothing."),
    }),
    response: z.object({
      workspaceId: z.string(),
      allow: z.array(z.string()),
      deny: z.array(z.string()),
      /**
       * at_once: they hold from now on, for all that the project has open. next_operation: so they do, but web sockets, and
       * names of denied addresses, from the next operation on, whose pages are loaded anew. when_used: nothing is open.
       */
      holds: z.enum(["at_once", "next_operation", "when_used"]),
    }),
    failures: [],
  }),
] as const;
