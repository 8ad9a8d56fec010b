import { html, type TemplateResult } from 'lit'

export interface ProgressBar {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly text: unknown
}

/** Renders a progress bar with its accessible name, and the progress in words. */
export function progressBar({ label, value, max, text }: ProgressBar): TemplateResult {
  // Empty files have no bytes to count.
  return html`<div class="progress">
    <progress part="progress" aria-label=${label} max=${max || 1} .value=${value}></progress>
    <span class="muted small">${text}</span>
  </div>`
}
