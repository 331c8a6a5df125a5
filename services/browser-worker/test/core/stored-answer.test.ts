import { type Answer, MASK, noIdentity } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { storedAnswer } from "../../src/core/stored-answer.js";

const shows = (text: string): Answer => ({
  ok: true,
  result: { text, snapshot: `- textbox: ${text}` },
  identity: noIdentity("o1"),
});

test("an answer that shows what was typed is kept without it", () => {
  const kept = storedAnswer({ secrets: ["text"] }, { text: "hunter22", target: "#pw" }, shows("hunter22"));
  expect(kept).toEqual(shows(MASK));
});

test("of a form only the values are secrets, not what names the fields", () => {
  const fields = [{ name: "Password", target: "#password", type: "textbox", value: "hunter22" }];
  const kept = storedAnswer({ secrets: ["fields"] }, { fields }, shows("Password: hunter22 in #password"));
  expect(kept).toEqual(shows(`Password: ${MASK} in #password`));
});

test("a secret that is part of another leaves nothing of it", () => {
  const fields = [{ value: "open" }, { value: "open-sesame" }];
  expect(JSON.stringify(storedAnswer({ secrets: ["fields"] }, { fields }, shows("open-sesame open")))).not.toContain(
    "sesame",
  );
});

test("an answer of an operation without secrets is kept as it is", () => {
  const answer = shows("anything");
  expect(storedAnswer({}, { text: "anything" }, answer)).toBe(answer);
});
