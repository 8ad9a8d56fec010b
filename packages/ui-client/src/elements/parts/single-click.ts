/** Returns a listener that ignores the second click of a double click: by then, another control can be in the same place. */
export const singleClick =
  (run: () => unknown) =>
  (click: MouseEvent): unknown =>
    click.detail > 1 || run()
