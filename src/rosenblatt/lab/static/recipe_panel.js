// The panel of the recipe: the classifier and its parameters.
import { element } from "./form_controls.js";
import { learnerControls, parameterControls, showChosen } from "./recipe_controls.js";

export class RecipePanel {
  // onChange() is called after every change of the state.
  constructor(state, learners, onChange) {
    Object.assign(this, { state, learners, onChange, first: [] });
    this.element = element("div", { class: "recipe" });
    this.show();
  }

  show() {
    const { state, learners, onChange } = this;
    const learner = learners.find(({ name }) => name === state.learner);
    const setParameter = (name, value) => {
      state.setParameter(name, value);
      onChange();
    };
    this.element.replaceChildren(...learnerControls(learners, learner, (name) => this.#setLearner(name)),
      ...parameterControls(learner, state.parameters, this.first, setParameter));
  }

  // Shows these parameters before the others.
  putFirst(names) {
    this.first = names;
    this.show();
    if (this.chosen) showChosen(this.element, this.chosen);
  }

  // Shows what the classifier chose for the parameters that are left to it.
  setChosen(chosen) {
    this.chosen = chosen;
    showChosen(this.element, chosen);
  }

  #setLearner(name) {
    this.state.setLearner(this.learners.find((learner) => learner.name === name));
    this.show();
    this.element.querySelector("select").focus();
    this.onChange();
  }
}
