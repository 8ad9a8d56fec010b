/** Moves the focus to an element. An element without a place for it, such as a section, has one until it loses the focus. */
export function focusOn(element: HTMLElement): void {
  element.focus()
  if (element.matches(':focus')) return
  element.tabIndex = -1
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  element.focus()
}
