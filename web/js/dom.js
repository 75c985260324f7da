// Changes of the page that touch only what differs: layout costs more than comparing.

/** The element with that id. */
export const element = (id) => document.getElementById(id);

/** Sets a text if it is another one. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Sets an attribute if it is another one. */
export function setAttribute(target, name, value) {
  if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

/** Creates an element with a text and attributes. */
export function make(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Replaces the children of an element if their key is another one. */
export function replace(target, key, makeChildren) {
  if (target.dataset.key === key) return;
  target.dataset.key = key;
  target.replaceChildren(...makeChildren());
}
