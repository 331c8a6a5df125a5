import { FRAMES_DEEP_MAX, type FrameStep } from "@holdfast/protocol";
import type { Frame, Page } from "playwright";

/** The way from the page down to a frame. */
export function pathOf(frame: Frame): FrameStep[] {
  const path: FrameStep[] = [];
  for (let at: Frame | null = frame; at?.parentFrame() && path.length < FRAMES_DEEP_MAX; at = at.parentFrame()) {
    const siblings = at.parentFrame()?.childFrames() ?? [];
    path.unshift({
      name: at.name().slice(0, 500),
      url: at.url().slice(0, 4_000),
      index: Math.max(0, siblings.indexOf(at)),
    });
  }
  return path;
}

/** The frame at the end of the way, or null: by its name, by its address, by its address without the query, by its place. */
export function frameAt(page: Page, path: readonly FrameStep[]): Frame | null {
  let at: Frame = page.mainFrame();
  for (const step of path) {
    const children = at.childFrames();
    const found =
      only(children, (frame) => step.name !== "" && frame.name() === step.name) ??
      only(children, (frame) => frame.url() === step.url) ??
      only(children, (frame) => bare(frame.url()).href === bare(step.url).href) ??
      (bare(children[step.index]?.url() ?? "").pathname === bare(step.url).pathname ? children[step.index] : undefined);
    if (!found) return null;
    at = found;
  }
  return at;
}

function only(frames: readonly Frame[], is: (frame: Frame) => boolean): Frame | undefined {
  const found = frames.filter(is);
  return found.length === 1 ? found[0] : undefined;
}

function bare(url: string): { href: string; pathname: string } {
  if (!URL.canParse(url)) return { href: url, pathname: url };
  const { origin, pathname } = new URL(url);
  return { href: `${origin}${pathname}`, pathname };
}
