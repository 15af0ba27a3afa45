// Questions to the server of this page, which is on the same machine.

export class ServerError extends Error {}

export async function ask(question, body = {}, signal = undefined) {
  let answer;
  try {
    answer = await fetch(`/api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      credentials: "same-origin",
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The explorer does not answer. Is it still running in the terminal?");
  }
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  if (!isJson) throw new ServerError(await answer.text());
  const payload = await answer.json();
  if (!answer.ok) throw new ServerError(payload.error ?? "The explorer failed.");
  return payload;
}

/** Questions of one kind, of which only the last one matters. */
export class LatestQuestion {
  #question;
  #controller = null;

  constructor(question) {
    this.#question = question;
  }

  /** Return the answer, or null if another question came meanwhile. */
  async ask(body) {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const answer = await ask(this.#question, body, controller.signal);
      return this.#controller === controller ? answer : null;
    } catch (error) {
      if (error.name === "AbortError" || this.#controller !== controller) return null;
      throw error;
    }
  }
}
