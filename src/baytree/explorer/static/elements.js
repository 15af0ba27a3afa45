// Creation of elements. Text is only set as text, so no name is parsed as HTML.

/** Return a new element; `text` is shown as it is, other properties are set by name. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") made.textContent = value;
    else if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.startsWith("data-") || name.startsWith("aria-") || name === "role") {
      made.setAttribute(name, value);
    } else made[name] = value;
  }
  if (tag === "button" && !properties.type) made.type = "button";
  made.append(...children);
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Mark the pressed button of a row of buttons. */
export function press(group, choice) {
  for (const button of group.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.choice === choice));
  }
}
