import { request } from "@holdfast/bus";
import {
  type Handlers,
  HoldfastError,
  NO_PAGE_SCRIPTS,
  NO_URL_RULES,
  type ProjectSettings,
  type ruleOperations,
  SCRIPTS_CHARS_MAX,
  type scriptOperations,
  wire,
} from "@holdfast/protocol";
import { z } from "zod";
import { CAS_TRIES_MAX, SETTINGS_MS } from "./limits.js";
import type { Parts } from "./parts.js";

type SettingOperations = readonly [...typeof ruleOperations, ...typeof scriptOperations];

const holding = z.object({ holds: z.enum(["at_once", "next_operation", "when_used"]) });
type Holding = z.infer<typeof holding>;
const NONE: ProjectSettings = { urlRules: NO_URL_RULES, pageScripts: NO_PAGE_SCRIPTS };

/** What a person sets for a project: stored here, and brought to its pages by its worker before it is answered. */
export function settingHandlers(parts: Parts): Handlers<SettingOperations, unknown> {
  return {
    project_rules: async ({ workspaceId, allow, deny }) => {
      await parts.store.get(workspaceId);
      const change = ({ urlRules, ...rest }: ProjectSettings): ProjectSettings => ({
        ...rest,
        urlRules: { allow: allow ?? urlRules.allow, deny: deny ?? urlRules.deny },
      });
      const asked = allow !== undefined || deny !== undefined;
      const { urlRules, holds } = asked ? await set(parts, workspaceId, change) : await told(parts, workspaceId);
      return { workspaceId, ...urlRules, holds };
    },
    project_scripts: async ({ workspaceId, scripts, styles }) => {
      await parts.store.get(workspaceId);
      const change = ({ pageScripts, ...rest }: ProjectSettings): ProjectSettings => ({
        ...rest,
        pageScripts: { scripts: scripts ?? pageScripts.scripts, styles: styles ?? pageScripts.styles },
      });
      const asked = scripts !== undefined || styles !== undefined;
      const { pageScripts } = asked ? await set(parts, workspaceId, change) : await told(parts, workspaceId);
      return { workspaceId, ...pageScripts };
    },
  };
}

async function told(parts: Parts, workspaceId: string): Promise<ProjectSettings & Holding> {
  const { value } = (await parts.settings.get(workspaceId)) ?? { value: NONE };
  return { ...value, holds: "at_once" };
}

async function set(
  parts: Parts,
  workspaceId: string,
  change: (before: ProjectSettings) => ProjectSettings,
): Promise<ProjectSettings & Holding> {
  for (let tries = 0; tries < CAS_TRIES_MAX; tries += 1) {
    const entry = await parts.settings.get(workspaceId);
    const next = change(entry?.value ?? NONE);
    checkSize(next);
    const stored = entry
      ? await parts.settings.update(workspaceId, next, entry.revision)
      : await parts.settings.create(workspaceId, next);
    if (stored !== null) return { ...next, ...(await bring(parts, workspaceId)) };
  }
  throw new HoldfastError("MCP_INTERNAL", `The settings of ${workspaceId} could not be stored.`);
}

/** The worker reads them again. Without one they are read when the project is next used. */
async function bring(parts: Parts, workspaceId: string): Promise<Holding> {
  const holder = parts.workers.holder(workspaceId);
  if (!holder) return { holds: "when_used" };
  const options = { timeoutMs: SETTINGS_MS, nobody: "MCP_NO_WORKER" as const };
  return holding.parse(await request(parts.bus, wire.worker(holder.workerId, "settings"), { workspaceId }, options));
}

function checkSize({ pageScripts: { scripts, styles } }: ProjectSettings): void {
  const texts = [...scripts.map(({ script }) => script), ...styles.map(({ css }) => css)];
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  if (chars <= SCRIPTS_CHARS_MAX) return;
  const message = `Scripts and styles have ${chars} characters; ${SCRIPTS_CHARS_MAX} are allowed.`;
  throw new HoldfastError("MCP_BAD_ARGUMENTS", message, { chars, charsMax: SCRIPTS_CHARS_MAX });
}
