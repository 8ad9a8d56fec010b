import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import type { AccessStore } from '../../stores/access.ts'
import { errorText, sharedTexts } from '../texts.ts'
import { focusOn } from './focus.ts'

/**
 * Moves the focus from a button that disappears when the content is loaded again: to the section or dialog around it, or to
 * the element.
 */
export function leaveRetry({ currentTarget }: Event): void {
  const button = currentTarget as HTMLElement
  const { host } = button.getRootNode() as ShadowRoot
  const section = button.closest<HTMLElement>('section, dialog')
  if (button.matches(':focus')) focusOn(section ?? (host as HTMLElement))
}

/** Renders why content could not be loaded, with a button that loads it again. Renders nothing without an error. */
export function loadFailure(
  error: KitError | null | undefined,
  load: () => unknown,
): TemplateResult | typeof nothing {
  const { common } = sharedTexts()
  const again = (event: Event) => {
    leaveRetry(event)
    load()
  }
  return error == null
    ? nothing
    : html`<div part="error" class="banner" role="alert">
        <span>${common.loadFailed} ${errorText(error)}</span>
        <button part="button" class="small" @click=${again}>${common.retry}</button>
      </div>`
}

/** Renders why the user's rights could not be loaded: until then, an element offers no changes. */
export function rightsFailure(access: AccessStore | null): TemplateResult | typeof nothing {
  const rights = access?.$state.get()
  return rights?.status === 'failed' ? loadFailure(rights.error, () => access?.load()) : nothing
}
