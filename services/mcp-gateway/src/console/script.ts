/** Runs in the console's page. It renders by text nodes alone: nothing that a page is called can become markup here. */
export const SCRIPT = `
"use strict";
const headers = { authorization: "Bearer " + location.hash.replace(/^#token=/, ""), "content-type": "application/json" };
const say = (text) => { document.getElementById("said").textContent = text; };
const make = (tag, text, ...children) => {
  const node = document.createElement(tag);
  if (text) node.append(text);
  node.append(...children);
  return node;
};
const button = (text, run) => {
  const node = make("button", text);
  node.onclick = run;
  return node;
};
async function operate(name, request) {
  const response = await fetch("/console/call", { method: "POST", headers, body: JSON.stringify({ name, request }) });
  const answer = await response.json();
  say(answer.ok ? "" : answer.failure ? answer.failure.code + ": " + answer.failure.message : answer.error.message);
  return answer;
}
function tabRow(project, tab) {
  const cursor = project.cursor && project.cursor.tabId === tab.tabId ? "cursor " : "";
  const viewers = project.views.filter((view) => view.tabId === tab.tabId).map((view) => view.viewerId);
  const look = () => operate("view_select", {
    workspaceId: project.workspaceId, tabId: tab.tabId, viewerId: "console", interactive: document.getElementById("interactive").checked,
  }).then(refresh);
  const marks = make("td", cursor + (viewers.length ? "seen by " + viewers.join(", ") : ""));
  marks.className = "mark";
  const where = make("td", tab.title || tab.url, make("div", tab.title ? tab.url : ""));
  return make("tr", "", make("td", tab.profileId + "/" + tab.tabId), where, make("td", tab.state), marks, make("td", "", button("look", look)));
}
function projectSection(project) {
  const { execution, worker } = project;
  const held = execution ? execution.kind + " " + execution.id + " of " + execution.owner + ", " + execution.state + " since " + execution.since : "idle";
  const head = make("div", "", make("h2", project.workspaceId), make("span", held), make("span", worker ? "on " + worker.workerId : "no worker"));
  head.className = "row";
  if (execution) head.append(button("stop", () => operate("task_stop", {
    workspaceId: project.workspaceId, profileId: execution.profileId, taskId: execution.id,
  }).then(refresh)));
  return make("section", "", head, make("table", "", make("tbody", "", ...project.tabs.map((tab) => tabRow(project, tab)))));
}
async function refresh() {
  const listed = await operate("project_list", {});
  if (!listed.ok) return;
  const all = await Promise.all(listed.result.projects.map(({ workspaceId }) => operate("project_status", { workspaceId })));
  const projects = all.filter((answer) => answer.ok).map((answer) => answer.result);
  document.getElementById("projects").replaceChildren(...projects.map(projectSection));
  document.getElementById("state").textContent = projects.length + " projects";
}
async function follow() {
  const response = await fetch("/console/events", { headers });
  if (!response.ok) return say("The token is missing or wrong: open the address that holdfast up printed.");
  await refresh();
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) await refresh();
  say("The gateway ended. Reload this page when it runs again.");
}
follow().catch((error) => say(String(error)));
`;
