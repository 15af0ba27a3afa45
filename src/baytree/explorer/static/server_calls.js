// Requests to the server of this page, which is on the same machine.

export class ServerError extends Error {}

let component = null; // of a mixture, that all requests are about; null for the mixture

export function askComponent(number) {
  component = number;
}

export async function send(endpoint, body = {}, signal = undefined) {
  let answer;
  try {
    answer = await fetch(`/api/${endpoint}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(component === null ? body : { ...body, component }),
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

/** Requests to one endpoint, of which only the latest one matters. */
export class LatestRequest {
  #endpoint;
  #controller = null;

  constructor(endpoint) {
    this.#endpoint = endpoint;
  }

  /** Return the answer, or null if a later request was sent meanwhile. */
  async send(body) {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const answer = await send(this.#endpoint, body, controller.signal);
      return this.#controller === controller ? answer : null;
    } catch (error) {
      if (error.name === "AbortError" || this.#controller !== controller) return null;
      throw error;
    }
  }
}
