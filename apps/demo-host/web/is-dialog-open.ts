/**
 * Returns whether a dialog is open, so that a shortcut must not act on the view behind it. A modal dialog of an element is not in the
 * document's own tree, but it contains the focus, and so the event.
 */
export const isDialogOpen = (event: Event): boolean =>
  document.querySelector('dialog[open]') !== null ||
  event.composedPath().some((node) => node instanceof HTMLDialogElement && node.open)
