import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import type { AccessStore } from '../../stores/access.ts'
import { errorText, sharedTexts } from '../texts.ts'
import { leavingButton } from './focus.ts'

/** Renders that content could not be loaded, and why, with a button that loads it again. Renders nothing without an error. */
export function loadFailure(
  error: KitError | null | undefined,
  load: () => unknown,
  text = sharedTexts().common.loadFailed,
): TemplateResult | typeof nothing {
  const { common } = sharedTexts()
  return error == null
    ? nothing
    : html`<div part="error" class="banner" role="alert">
        <span>${text} ${errorText(error)}</span>
        <button part="button" class="small retry" @click=${leavingButton(load)}>${common.retry}</button>
      </div>`
}

/** Renders why the user's rights could not be loaded: until then, an element offers no changes. */
export function rightsFailure(access: AccessStore | null): TemplateResult | typeof nothing {
  const rights = access?.$state.get()
  return rights?.status === 'failed' ? loadFailure(rights.error, () => access?.load()) : nothing
}
