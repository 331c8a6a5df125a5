import {
  type PageServer,
  PERSON_ENV,
  type Person,
  personIn,
  startPageServer,
  startTestStack,
  type TestStack,
  until,
} from "@holdfast/testkit";
import { afterAll, beforeAll } from "vitest";
import { type Client, SOON_MS, told } from "./work.js";

/** A stack whose browser a person can be played in, the fixture pages and one client, for all the tests of a file. */
export interface Stage {
  readonly stack: () => TestStack;
  readonly pages: () => PageServer;
  readonly client: () => Client;
  readonly person: () => Person;
  readonly url: (path: string) => string;
  /** The same page on the other site. */
  readonly otherUrl: (path: string) => string;
}

export function withStage(): Stage {
  let stack: TestStack;
  let pages: PageServer;
  let client: Client;
  let person: Person;
  beforeAll(async () => {
    pages = await startPageServer();
    stack = await startTestStack({ env: PERSON_ENV });
    client = await stack.client();
    person = await personIn(stack);
  });
  afterAll(async () => {
    person?.close();
    await stack?.stop();
    await pages?.close();
  });
  return {
    stack: () => stack,
    pages: () => pages,
    client: () => client,
    person: () => person,
    url: (path) => pages.url(path),
    otherUrl: (path) => new URL(path, pages.otherOrigin).href,
  };
}

export interface StepTold {
  readonly at: string;
  readonly tabId: string;
  readonly cause: string | null;
  readonly action: { readonly do: string; readonly [more: string]: unknown };
}

export interface RecordingTold {
  readonly recordingId: string;
  readonly state: string;
  readonly steps: number;
  readonly completeness: {
    readonly complete: boolean;
    readonly tabs: readonly { readonly tabId: string; readonly documents: number }[];
    readonly documents: number;
    readonly injections: number;
    readonly reinjections: number;
    readonly refused: number;
    readonly gaps: readonly {
      readonly why: string;
      readonly tabId: string | null;
      readonly from: string;
      readonly to: string;
    }[];
  };
}

export async function record(
  client: Client,
  workspaceId: string,
  recordingId = `rec-${workspaceId}`,
): Promise<RecordingTold> {
  return told(await client.call("recording_start", { workspaceId, recordingId, name: workspaceId }));
}

export async function stopRecording(client: Client, workspaceId: string): Promise<RecordingTold> {
  return told(await client.call("recording_stop", { workspaceId }));
}

export async function stepsOf(client: Client, workspaceId: string): Promise<readonly StepTold[]> {
  return told<{ steps: readonly StepTold[] }>(await client.call("recording_get", { workspaceId })).steps;
}

/** Waits until a step is recorded. */
export function recorded(
  client: Client,
  workspaceId: string,
  is: (step: StepTold) => boolean,
  why: string,
): Promise<StepTold> {
  return until(async () => (await stepsOf(client, workspaceId)).find(is), { deadlineMs: SOON_MS, why });
}

/** Steps in short, to compare: what was done, and with what. */
export function inShort(steps: readonly StepTold[]): string[] {
  return steps.map(({ action }) => {
    const value = action.value as { text?: string; secret?: string } | undefined;
    const element = (action.target as { element?: { id?: string } } | undefined)?.element?.id ?? "";
    const what = value ? (value.text ?? `<${value.secret}>`) : (action.key ?? action.checked ?? action.values ?? "");
    return [action.do, element, String(what)].filter((part) => part !== "").join(" ");
  });
}
