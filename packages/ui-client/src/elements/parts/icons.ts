import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit'

/** Creates a line icon of 24 × 24 in the text colour, hidden from screen readers. Place a text or label next to it. */
const icon = (paths: SVGTemplateResult): TemplateResult =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`

export const pencilIcon = icon(svg`<path d="M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4"/>`)
export const plusIcon = icon(svg`<path d="M12 5v14M5 12h14"/>`)
export const trashIcon = icon(svg`<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5"/>`)
export const chevronDownIcon = icon(svg`<path d="M6 9l6 6 6-6"/>`)
export const downloadIcon = icon(svg`<path d="M12 4v11M7 10.5l5 5 5-5M5 20h14"/>`)
export const bellIcon = icon(svg`<path d="M6 16h12l-1.5-2V10a4.5 4.5 0 0 0-9 0v4zM10 19a2 2 0 0 0 4 0"/>`)
export const taskIcon = icon(svg`<path d="M5 5h14v14H5zM8.5 12l2.5 2.5 4.5-5"/>`)
