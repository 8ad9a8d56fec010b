/** Calls `hidden` when the page hides the element, or has hidden it already. Returns a function that ends this. */
export function onHidden(element: HTMLElement, hidden: () => void): () => void {
  const look = () => element.checkVisibility() || hidden()
  const size = new ResizeObserver(look)
  size.observe(element)
  look()
  return () => size.disconnect()
}
