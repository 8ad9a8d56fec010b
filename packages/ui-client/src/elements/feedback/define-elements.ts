import { define } from '../define.ts'
import { Toasts } from './toasts.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-toasts': Toasts
  }
}

/** Registers the elements for messages with the page, and those that they use. Skips tags that are already registered. */
export const defineFeedbackElements = (): void =>
  define({
    'vk-toasts': Toasts,
  })
