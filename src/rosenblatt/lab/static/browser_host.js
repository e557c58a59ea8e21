// The page in a browser: questions go over HTTP, and the address stores the state.
import { mount } from "./lab.js";

async function ask(kind, content) {
  let response, body;
  try {
    response = await fetch(`ask/${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(content),
    });
    body = await response.json();
  } catch {
    throw new Error("The lab does not answer: is `rosenblatt lab` still running?");
  }
  if (!response.ok) throw new Error(body.error ?? "The lab failed at this request.");
  return body;
}

const memory = {
  load: () => location.hash.slice(1),
  save: (text, link) => history.replaceState(null, "", `#${link}`),
  watch: (onChange) => window.addEventListener("hashchange", onChange), // replaceState does not call it
  address: () => location.href,
  query: () => location.search,
};

mount(document.getElementById("lab"), ask, memory);
