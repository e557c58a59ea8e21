// A lesson: its text step by step, and goals that are checked by the facts of the page.
import { element, wideSelectField } from "./form_controls.js";
import { highlight, markControls } from "./highlights.js";
import { judgeGoal } from "./lesson_goals.js";
import { lessonParagraph } from "./lesson_text.js";

const BEGINNING = "Lessons…";

// host: what lessonHost returns
export class LessonPanel {
  constructor(host) {
    Object.assign(this, { host, lesson: null, index: 0, start: null, isSolved: false, isOpening: false });
    this.menu = wideSelectField("lesson", [["", BEGINNING], ...host.lessons.map(({ name, title }, k) => [name, `${k + 1}. ${title}`])], "",
      (name) => (name ? this.open(name) : this.close()), { "data-control": "lesson" });
    this.heading = element("h2", { tabindex: -1 });
    this.progress = element("p", { class: "progress" });
    this.text = element("div", { class: "lesson-text" });
    this.task = element("div", { class: "task" });
    this.reminder = element("p", { class: "reminder", "aria-hidden": "true" });
    this.feedback = element("p", { class: "feedback", role: "status" });
    const button = (name, text, act, look = "") => element("button", { type: "button", class: look, "data-lesson": name, onclick: act }, text);
    this.buttons = { back: button("back", "Back", () => this.#turnTo(this.index - 1)), next: button("next", "Next", () => this.#next()),
      check: button("check", "Check", () => this.#judge(true)), again: button("again", "Start again", () => this.go(this.index, true), "quiet"),
      solution: button("solution", "Show a solution", () => this.#solve(), "quiet"), close: button("close", "Leave lesson", () => this.close(), "quiet") };
    const { back, next, check, again, solution, close } = this.buttons;
    this.foot = element("div", { class: "lesson-foot" }, this.reminder, this.feedback, element("div", { class: "row steps" }, back, next));
    this.element = element("section", { class: "lesson", "aria-label": "Lesson", hidden: true }, this.heading, element("div", { class: "place" }, this.progress, close),
      this.text, this.task, element("div", { class: "row" }, check, again, solution), this.foot);
    this.bar = element("aside", { class: "lesson-bar", "aria-label": "The lesson's task", hidden: true }); // on a telephone, where the foot is always in sight
    this.invitation = button("start", "New here? Start lesson 1", () => this.open(host.lessons[0].name), "invitation");
    this.invitation.hidden = !host.lessons.length;
  }

  get step() {
    return this.lesson?.steps[this.index];
  }

  // Opens a lesson, by default at its first step. Unknown names are ignored.
  async open(name, index = 0) {
    this.lesson = this.host.lessons.find((lesson) => lesson.name === name) ?? null;
    if (!this.lesson) return this.close();
    this.menu.querySelector("select").value = name;
    this.element.hidden = this.bar.hidden = false;
    this.host.root.dataset.lesson = name;
    await this.go(Math.min(index, this.lesson.steps.length - 1), true);
  }

  close() {
    this.lesson = null;
    this.menu.querySelector("select").value = "";
    this.element.hidden = this.bar.hidden = true;
    delete this.host.root.dataset.lesson;
    highlight(this.host.root, []);
    for (const fold of this.host.root.querySelectorAll(".left > .fold")) fold.open = true;
    this.host.leave();
  }

  // Shows a step. A step without a state of its own goes on from the present one, or from that of an earlier step.
  async go(index, isJump = index !== this.index + 1) {
    Object.assign(this, { index, start: null, isSolved: false, isOpening: true });
    this.#showStep();
    this.host.remember(`${this.lesson.name}/${index}`);
    this.host.putFirst(this.step.highlight);
    const own = isJump ? this.lesson.steps.slice(0, index + 1).findLast(({ state }) => state) : this.step;
    try {
      if (own.state) await this.host.apply(own.state, true);
    } finally {
      if (this.index === index) this.isOpening = false;
    }
    if (this.index !== index) return; // another step was opened meanwhile
    this.update();
    this.heading.focus({ preventScroll: true });
  }

  // Shows a step from its beginning, wherever the page is scrolled to.
  async #turnTo(index) {
    await this.go(index);
    this.element.scrollIntoView({ block: "nearest" });
  }

  async #next() {
    if (this.index + 1 < this.lesson.steps.length) return this.#turnTo(this.index + 1);
    const place = this.host.lessons.indexOf(this.lesson);
    const following = this.host.lessons[place + 1];
    if (!following) return this.close();
    await this.open(following.name);
    this.element.scrollIntoView({ block: "nearest" });
  }

  #showStep() {
    const { lesson, index, step, buttons } = this;
    const isLast = index + 1 === lesson.steps.length;
    this.heading.textContent = lesson.title;
    this.progress.textContent = `Lesson ${this.host.lessons.indexOf(lesson) + 1} of ${this.host.lessons.length}, step ${index + 1} of ${lesson.steps.length}`;
    this.text.replaceChildren(...step.text.map(lessonParagraph));
    this.answer = step.goal?.ask ? element("input", { type: "number", step: "any", "aria-label": step.goal.ask, "data-lesson": "answer", onchange: () => this.#judge(true) }) : null;
    this.task.replaceChildren(...(step.goal ? [lessonParagraph(step.goal.task)] : []), ...(this.answer ? [element("label", {}, `${step.goal.ask} `, this.answer)] : []));
    this.reminder.textContent = this.task.firstChild?.textContent ?? "";
    this.task.hidden = buttons.check.hidden = !step.goal;
    buttons.solution.hidden = buttons.again.hidden = !step.goal;
    buttons.back.disabled = index === 0;
    buttons.next.textContent = !isLast ? "Next" : lesson === this.host.lessons.at(-1) ? "Finish" : "Next lesson";
    this.#setFeedback("", !step.goal);
  }

  // Called whenever the page shows something new. The first facts after a step was opened are its start.
  update() {
    if (!this.lesson || this.isOpening) return;
    const facts = this.host.facts();
    if (!facts) return;
    if (!this.start) {
      this.start = facts;
      highlight(this.host.root, this.step.highlight);
    }
    markControls(this.host.root, this.step.highlight);
    if (this.step.goal && !this.isSolved) this.#judge(false);
  }

  // A goal that is met is told at once; what is missing is told to those who ask, and after a change of the points or recipe.
  #judge(isAsked) {
    const facts = this.host.facts();
    if (!facts || !this.start) return;
    const answer = this.answer && this.answer.value !== "" ? Number(this.answer.value) : null;
    const { isMet, word } = judgeGoal(this.step.goal, facts, this.start, answer);
    if (isMet) return this.#setFeedback(word, true);
    const isOther = facts.points !== this.start.points || facts.learner !== this.start.learner;
    if (isAsked || (isOther && !this.answer)) this.#setFeedback(word, false);
  }

  #setFeedback(word, isSolved) {
    this.isSolved = isSolved;
    if (this.feedback.textContent !== word) this.feedback.textContent = word;
    this.feedback.classList.toggle("right", isSolved && word !== "");
    this.buttons.next.classList.toggle("primary", isSolved);
  }

  async #solve() {
    const { answer, ...changes } = this.step.goal.solution;
    if (answer !== undefined) this.answer.value = answer;
    await this.host.apply(changes, false);
    this.#judge(true);
  }
}
