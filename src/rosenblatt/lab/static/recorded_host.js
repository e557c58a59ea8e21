// The page in a file: questions are answered from a recording of the core, and nothing leaves the file.
import { mount } from "./lab.js";

const NOT_RECORDED = "This file plays recorded runs, and this one is not among them. The live lab trains any: rosenblatt lab.";

async function readRecording() {
  const text = atob(document.getElementById("recording").textContent);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// What identifies a question. The reach of the picture does not matter, nor does a parameter at its default.
function keyOf(kind, content, learners) {
  if (!content.points) return JSON.stringify([kind, content.preset, content.margin, content.seed]);
  const { parameters } = learners.find(({ name }) => name === content.learner);
  const given = parameters.filter(({ name, default: initial }) => (content.parameters[name] ?? initial) !== initial).map(({ name }) => [name, content.parameters[name]]);
  return JSON.stringify([kind, content.points, content.dimension, content.learner, given]);
}

const { about, lesson, answers } = await readRecording();
const recorded = new Map(answers.map(({ kind, content, answer }) => [keyOf(kind, content, about.learners), answer]));

async function ask(kind, content) {
  if (kind === "about") return about;
  const answer = recorded.get(keyOf(kind, content, about.learners));
  if (!answer) throw new Error(NOT_RECORDED);
  return answer;
}

const query = () => new URLSearchParams([...new URLSearchParams(location.search), ...(lesson ? [["lesson", lesson]] : [])]).toString();

mount(document.getElementById("lab"), ask, { load: () => "", save: () => {}, watch: () => {}, address: () => null, query });
