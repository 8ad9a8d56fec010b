/** The open popovers, and the controllers that remove their listeners. */
const open = new WeakMap<HTMLElement, AbortController>()

/**
 * Places a popover below its anchor, or above the anchor if that side has more room. When the page scrolls or is resized,
 * closes the popover, because it would no longer be next to its anchor. Call this function when the popover opens.
 */
export function placePopover(popover: HTMLElement, anchor: HTMLElement): void {
  const { left, right, top, bottom } = anchor.getBoundingClientRect()
  const isBelow = innerHeight - bottom >= Math.min(top, 240)
  const isLeft = left + right < innerWidth
  set(popover, {
    top: isBelow ? `${bottom}px` : 'auto',
    bottom: isBelow ? 'auto' : `${innerHeight - top}px`,
    left: isLeft ? `${left}px` : 'auto',
    right: isLeft ? 'auto' : `${innerWidth - right}px`,
    'max-height': `${(isBelow ? innerHeight - bottom : top) - 8}px`,
    'max-width': `${(isLeft ? innerWidth - left : right) - 8}px`,
  })
  const closing = new AbortController()
  open.get(popover)?.abort()
  open.set(popover, closing)
  const close = () => hidePopover(popover)
  const { signal } = closing
  addEventListener('resize', close, { signal })
  addEventListener('scroll', (event) => event.target !== popover && close(), { signal, capture: true })
  // The browser does not return the focus from a popover in a shadow root.
  popover.addEventListener(
    'beforetoggle',
    ({ newState }) => newState === 'closed' && popover.matches(':focus-within') && anchor.focus(),
    { signal },
  )
}

/** Closes a popover. Does nothing if the popover is already closed. */
export function hidePopover(popover: HTMLElement): void {
  if (popover.matches(':popover-open')) popover.hidePopover()
  open.get(popover)?.abort()
  open.delete(popover)
}

function set({ style }: HTMLElement, properties: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(properties)) style.setProperty(name, value)
}
