import { html, render } from 'lit'
import { createDialog } from './page-dialog.ts'

/** A yes-or-no question. */
export interface Question {
  readonly title: string
  readonly message: string
  readonly confirmLabel: string
}

/** Asks the user to confirm an irreversible action. Escape and Back cancel. Afterwards, the previous element has the focus. */
export function ask({ title, message, confirmLabel }: Question): Promise<boolean> {
  const dialog = createDialog(title)
  render(
    html`<form method="dialog" class="stack">
      <h2>${title}</h2>
      <p>${message}</p>
      <div class="dialog-foot">
        <button class="button" value="no" autofocus>Cancel</button>
        <button class="button danger" value="yes">${confirmLabel}</button>
      </div>
    </form>`,
    dialog,
  )
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
  })
}
