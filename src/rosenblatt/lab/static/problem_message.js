// Errors as one sentence below the picture. Those that ask for an action, and blame nobody, look gentle.
import { element } from "./form_controls.js";

export const TOO_FEW_CLASSES = "Place points of at least two classes to start training.";
export const FIXED_POINTS = "This file plays recorded runs, so its points stay where they are. The live lab moves them: rosenblatt lab. In a lesson, press “Show a solution”.";
const GENTLE = [TOO_FEW_CLASSES, FIXED_POINTS];

export class ProblemMessage {
  constructor() {
    this.element = element("p", { class: "problem", role: "alert", hidden: true });
  }

  show({ message }) {
    this.element.textContent = message;
    this.element.hidden = false;
    this.element.classList.toggle("gentle", GENTLE.includes(message));
  }

  hide() {
    this.element.hidden = true;
  }
}
