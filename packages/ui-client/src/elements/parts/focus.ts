/** Moves the focus to an element. An element without a place for it, such as a section, has one until it loses the focus. */
export function focusOn(element: HTMLElement): void {
  element.focus()
  if (element.matches(':focus')) return
  element.tabIndex = -1
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  element.focus()
}

/** Moves the focus from a button that is about to disappear: to the section or dialog around it, or to the element. */
function leaveButton({ currentTarget }: Event): void {
  const button = currentTarget as HTMLElement
  const { host } = button.getRootNode() as ShadowRoot
  const section = button.closest<HTMLElement>('section, dialog')
  if (button.matches(':focus')) focusOn(section ?? (host as HTMLElement))
}

/** Returns the handler for a click on a button that disappears because of `act`. */
export const leavingButton =
  (act: () => unknown) =>
  (event: Event): void => {
    leaveButton(event)
    act()
  }
