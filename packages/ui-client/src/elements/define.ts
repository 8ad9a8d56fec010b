/** Registers elements with the page. Skips tags that are already registered, and warns if another copy has registered them. */
export function define(elements: Readonly<Record<string, CustomElementConstructor>>): void {
  for (const [tag, element] of Object.entries(elements)) {
    const known = customElements.get(tag)
    if (known === undefined) customElements.define(tag, element)
    else if (known !== element) console.warn(`Another copy of the kit has registered <${tag}>.`)
  }
}
