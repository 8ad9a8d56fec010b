/** The listeners of a modal dialog that closes with a click beside it. */
export interface LightDismiss {
  readonly press: (event: Event) => void
  readonly click: (event: Event) => void
}

/**
 * A click on the backdrop has the dialog as its target. So has a click that began inside, for example when the user selects a
 * text and releases the button outside: it does not close the dialog.
 */
export function lightDismiss(): LightDismiss {
  let pressed: EventTarget | null = null
  return {
    press({ target }) {
      pressed = target
    },
    click({ target }) {
      if (target === pressed && target instanceof HTMLDialogElement) target.close()
    },
  }
}
