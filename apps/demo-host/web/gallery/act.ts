/** How long a scene waits for an element that it needs. */
const limitMs = 5_000

/** Resolves with the result of `find` as soon as there is one. */
export async function until<T>(what: string, find: () => T | null | undefined | false): Promise<T> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const found = find()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > endMs) throw new Error(`The scene has no ${what}`)
    await new Promise(requestAnimationFrame)
  }
}

/** Resolves with an element in the shadow root of another, as soon as it is there. */
export const part = (host: Element, selector: string): Promise<HTMLElement> =>
  until(selector, () => host.shadowRoot?.querySelector<HTMLElement>(selector))

/** Clicks an element in the shadow root of another, for example a button. */
export const press = async (host: Element, selector: string): Promise<void> =>
  (await part(host, selector)).click()

/** Types a text into a field, as a user would. */
export async function type(host: Element, selector: string, text: string): Promise<void> {
  const field = (await part(host, selector)) as HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
  field.focus()
  field.value = text
  for (const name of ['input', 'change'])
    field.dispatchEvent(new Event(name, { bubbles: true, composed: true }))
}

/** Resolves with the open dialog of an element. */
export const question = (host: Element, tag = 'vk-ask-dialog'): Promise<HTMLDialogElement> =>
  until(tag, () => {
    // The dialog is inside the element that has loaded it.
    const place = host.shadowRoot?.querySelector(tag)?.shadowRoot
    return place?.lastElementChild?.shadowRoot?.querySelector<HTMLDialogElement>(
      'dialog:is([open], :popover-open)',
    )
  })
