import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import { errorText, sharedTexts } from '../texts.ts'

/** Renders why content could not be loaded, with a button that loads it again. Renders nothing without an error. */
export function loadFailure(
  error: KitError | null | undefined,
  load: () => unknown,
): TemplateResult | typeof nothing {
  const { common } = sharedTexts()
  return error == null
    ? nothing
    : html`<div part="error" class="banner" role="alert">
        <span>${common.loadFailed} ${errorText(error)}</span>
        <button part="button" class="small" @click=${load}>${common.retry}</button>
      </div>`
}
