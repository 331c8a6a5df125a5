import {
  HoldfastError,
  type OperationName,
  type OperationNamed,
  type PageResult,
  type RequestOf,
} from "@holdfast/protocol";
import type { Response } from "playwright";
import { addressOf } from "../core/urls.js";
import type { PageContext } from "./context.js";

type Request<N extends OperationName> = RequestOf<OperationNamed<N>>;

export async function navigate({ url: asked }: Request<"browser_navigate">, context: PageContext): Promise<PageResult> {
  const url = checked(asked);
  const response = await context.page.goto(url.href, {
    waitUntil: "domcontentloaded",
    signal: context.signal,
    timeout: context.timeoutMs,
  });
  return arrived(context, response);
}

/** @throws HoldfastError `MCP_URL_DENIED`, `MCP_BAD_ARGUMENTS` */
export function checked(asked: string): URL {
  const url = addressOf(asked);
  if (url instanceof URL) return url;
  throw new HoldfastError(url.code, url.message, { ...url.details });
}

export async function navigateBack(
  _request: Request<"browser_navigate_back">,
  context: PageContext,
): Promise<PageResult> {
  const response = await context.page.goBack({
    waitUntil: "domcontentloaded",
    signal: context.signal,
    timeout: context.timeoutMs,
  });
  if (response === null && context.page.url() === context.tab.record.url) {
    throw new HoldfastError("MCP_PAGE_FAILED", "There is nothing to go back to.", { url: context.page.url() });
  }
  return arrived(context, response);
}

async function arrived({ page, tab }: PageContext, response: Response | null): Promise<PageResult> {
  tab.change({ url: page.url(), title: await page.title() });
  const status = response?.status();
  const told = status !== undefined && status >= 400 ? ` The server answered ${status}.` : "";
  return { text: `Loaded ${page.url()}.${told}` };
}
