/** Registers elements with the page. Skips tags that are already registered. */
export function define(elements: Readonly<Record<string, CustomElementConstructor>>): void {
  for (const [tag, element] of Object.entries(elements)) {
    if (customElements.get(tag) === undefined) customElements.define(tag, element)
  }
}
