import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit'

/** Creates a line icon of 24 × 24 in the text colour, hidden from screen readers. Place a text or label next to it. */
export const icon = (paths: SVGTemplateResult): TemplateResult =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`

// Bundlers drop the icons that a page does not use.
/* @__NO_SIDE_EFFECTS__ */
function pathIcon(path: string): TemplateResult {
  return icon(svg`<path d=${path}/>`)
}

export const pencilIcon = pathIcon('M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4')
export const plusIcon = pathIcon('M12 5v14M5 12h14')
export const trashIcon = pathIcon('M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5')
export const closeIcon = pathIcon('M6 6l12 12M18 6L6 18')
export const chevronDownIcon = pathIcon('M6 9l6 6 6-6')
export const downloadIcon = pathIcon('M12 4v11M7 10.5l5 5 5-5M5 20h14')
export const uploadIcon = pathIcon('M12 15V4M7 8.5l5-5 5 5M5 20h14')
export const bellIcon = pathIcon('M6 16h12l-1.5-2V10a4.5 4.5 0 0 0-9 0v4zM10 19a2 2 0 0 0 4 0')
export const taskIcon = pathIcon('M5 5h14v14H5zM8.5 12l2.5 2.5 4.5-5')
export const claimIcon = pathIcon('M12 4a4 4 0 1 1 0 8a4 4 0 1 1 0-8M4 20a8 8 0 0 1 11-6.5M15 19l2 2 4-4')
export const releaseIcon = pathIcon('M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3')
export const clockIcon = pathIcon('M12 4a8 8 0 1 1 0 16a8 8 0 1 1 0-16M12 8v4l3 2')
export const forwardIcon = pathIcon('M15 14l5-5-5-5M20 9H10a6 6 0 0 0-6 6v5')
export const readIcon = pathIcon('M4 10l8-6 8 6v10H4zM4 10l8 5 8-5')
export const checkIcon = pathIcon('M5 12l5 5 9-10')
