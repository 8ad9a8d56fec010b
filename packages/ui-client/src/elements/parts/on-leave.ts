/**
 * Calls `leave` when the page hides the element, or has hidden it already, and when the user goes back. Back can leave the page below
 * as it is, and only close a panel. Returns a function that ends this.
 */
export function onLeave(element: HTMLElement, leave: () => void): () => void {
  const look = () => element.checkVisibility() || leave()
  const size = new ResizeObserver(look)
  size.observe(element)
  addEventListener('popstate', leave)
  look()
  return () => {
    size.disconnect()
    removeEventListener('popstate', leave)
  }
}
