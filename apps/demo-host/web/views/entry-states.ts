import type { KitError } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'
import { messageOf } from '../format.ts'
import { icon } from '../icons.ts'

/** The placeholder for an entry that is loading. The placeholder has about the height of an entry. */
export const entrySkeleton: TemplateResult = html`<div class="entry-skeleton" role="status" aria-label="Loading…">
  <div class="card section">
    <span class="bone"></span><span class="bone"></span><span class="bone"></span>
  </div>
</div>`

/** Renders the message for a missing entry or a failed load. */
export function entryMissing(error: KitError, retry: () => void): TemplateResult {
  if (error.status === 404) {
    return html`<div class="card empty">
      ${icon('warning')}
      <h1>Not found</h1>
      <p>This entry may have been deleted, or you do not have access to it.</p>
    </div>`
  }
  return html`<div class="card empty" role="alert">
    ${icon('warning')}
    <h1 tabindex="-1">Could not load this entry</h1>
    <p>${messageOf(error)}</p>
    <button class="button" @click=${retry}>Try again</button>
  </div>`
}

/** Renders the notice that the entry could not be loaded again. The entry stays, because it may still be true. */
export const entryOutdated = (error: KitError, retry: () => void): TemplateResult =>
  html`<div class="notice bad notice-row" role="alert">
    <span>What you see may be outdated. ${messageOf(error)}</span>
    <button class="button small" @click=${retry}>Try again</button>
  </div>`

/** Renders the notice that a draft was saved, but could not be posted. `isKnown` is false if the page does not know whether it was. */
export const notPostedNotice = (
  error: KitError,
  { isKnown }: { readonly isKnown: boolean },
): TemplateResult =>
  html`<p class="notice" role="alert">
    The draft is saved, but ${isKnown ? 'it could not be posted' : 'it is not known whether it was posted'}.
    ${messageOf(error)}
  </p>`
