/** Moves the focus to an element. An element without a place for it, such as a section, has one until it loses the focus. */
export function focusOn(element: HTMLElement): void {
  element.focus()
  if (element.matches(':focus')) return
  element.tabIndex = -1
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  element.focus()
}

/** Returns the place for the focus of a button that disappears: the section or dialog around it, or the element. */
function placeAround(button: Element): HTMLElement {
  const { host } = button.getRootNode() as ShadowRoot
  return button.closest<HTMLElement>('section, dialog') ?? (host as HTMLElement)
}

/** Moves the focus from a button that is about to disappear. */
function leaveButton({ currentTarget }: Event): void {
  const button = currentTarget as HTMLElement
  if (button.matches(':focus')) focusOn(placeAround(button))
}

/** Returns the handler for a click on a button that disappears because of `act`. */
export const leavingButton =
  (act: () => unknown) =>
  (event: Event): void => {
    leaveButton(event)
    act()
  }

/** Renders an element. If the button that retries a failed load has the focus and disappears, the focus moves on. */
export function keepRetryFocus({ shadowRoot }: HTMLElement, render: () => void): void {
  const button = shadowRoot?.querySelector('.retry:focus')
  const place = button && placeAround(button)
  render()
  if (place && !button.isConnected) focusOn(place)
}
