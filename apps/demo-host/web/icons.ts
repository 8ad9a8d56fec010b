import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit'

/** Line icons on a grid of 24 × 24, drawn for this page. */
const strokes = {
  bell: svg`<path d="M6 9a6 6 0 0 1 12 0c0 6 2.5 7 2.5 7h-17S6 15 6 9Z"/><path d="M10 20a2.2 2.2 0 0 0 4 0"/>`,
  book: svg`<path d="M5 4.5A1.5 1.5 0 0 1 6.5 3H19v15H6.5A1.5 1.5 0 0 0 5 19.5Z"/><path d="M5 19.5A1.5 1.5 0 0 0 6.5 21H19v-3"/>`,
  box: svg`<path d="m12 3 8 4.5v9L12 21l-8-4.5v-9L12 3Z"/><path d="m4 7.5 8 4.5 8-4.5M12 12v9"/>`,
  card: svg`<rect x="3" y="5.5" width="18" height="13" rx="2"/><path d="M3 10h18M7 15h3"/>`,
  caret: svg`<path d="m7 10 5 5 5-5"/>`,
  cart: svg`<path d="M3 4h2.5l2 11h10l2-8H6.5"/><circle cx="9" cy="19" r="1.3"/><circle cx="16" cy="19" r="1.3"/>`,
  chart: svg`<path d="M4 20h16M7 20v-7M12 20V5M17 20v-10"/>`,
  chevron: svg`<path d="m9 6 6 6-6 6"/>`,
  back: svg`<path d="M19 12H5M11 6l-6 6 6 6"/>`,
  clip: svg`<path d="m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4L14.5 7"/>`,
  clock: svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`,
  close: svg`<path d="m6 6 12 12M18 6 6 18"/>`,
  half: svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5v17a8.5 8.5 0 0 0 0-17Z" fill="currentColor"/>`,
  invoice: svg`<path d="M6 3h12v18l-3-2-3 2-3-2-3 2V3Z"/><path d="M9.5 8h5M9.5 12h5"/>`,
  list: svg`<path d="M10 6h10M10 12h10M10 18h10M4 6l1 1 2-2M4 12l1 1 2-2M4 18l1 1 2-2"/>`,
  menu: svg`<path d="M4 7h16M4 12h16M4 17h16"/>`,
  moon: svg`<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z"/>`,
  note: svg`<path d="M5 4h14v11l-5 5H5V4Z"/><path d="M14 20v-5h5M8.5 9h7M8.5 12.5h4"/>`,
  outbox: svg`<path d="M4 13v6h16v-6M12 15V4M7.5 8.5 12 4l4.5 4.5"/>`,
  people: svg`<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20a6.5 6.5 0 0 1 13 0"/><path d="M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8"/>`,
  person: svg`<circle cx="12" cy="8" r="3.8"/><path d="M4.5 20.5a7.5 7.5 0 0 1 15 0"/>`,
  plus: svg`<path d="M12 5v14M5 12h14"/>`,
  pulse: svg`<path d="M3 12h4l3-7 4 14 3-7h4"/>`,
  search: svg`<circle cx="10.5" cy="10.5" r="6"/><path d="m15 15 5 5"/>`,
  shield: svg`<path d="M12 3 5 6v5.5c0 4.5 3 7.7 7 9.5 4-1.8 7-5 7-9.5V6l-7-3Z"/><path d="m9 12 2.2 2.2L15 10.4"/>`,
  sliders: svg`<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>`,
  sun: svg`<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4"/>`,
  trash: svg`<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5"/>`,
  warning: svg`<path d="M12 4 2.5 20h19L12 4Z"/><path d="M12 10v4.5M12 17.3v.2"/>`,
} satisfies Record<string, SVGTemplateResult>

export type IconName = keyof typeof strokes

/** The icons of the vertical's actions, for the elements of the kit. */
export const actionIcons: Readonly<Record<string, SVGTemplateResult>> = {
  'apply-payment': strokes.card,
  customer: strokes.people,
  invoice: strokes.invoice,
  'write-off': strokes.warning,
}

/** Renders a decorative icon, hidden from screen readers. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${strokes[name]}</svg>`
}
