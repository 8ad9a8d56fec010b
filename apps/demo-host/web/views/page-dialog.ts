/**
 * Creates a dialog over the page of the signed-in user. It closes when the user goes back, and disappears at the end of the
 * session. The caller renders its content and shows it.
 */
export function createDialog(label: string): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'dialog'
  dialog.setAttribute('aria-label', label)
  const close = () => dialog.close()
  addEventListener('popstate', close)
  dialog.addEventListener('close', () => {
    removeEventListener('popstate', close)
    dialog.remove()
  })
  const page = document.querySelector('demo-frame') ?? document.body
  page.append(dialog)
  return dialog
}
