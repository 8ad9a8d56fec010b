import { define } from '../define.ts'
import { FollowButton } from './follow-button.ts'
import { LiveObject } from './live-object.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-follow': FollowButton
    'vk-live-object': LiveObject
  }
}

/** Registers the elements that follow an object with the page, and those that they use. Skips tags that are already registered. */
export const defineLiveObjectElements = (): void =>
  define({
    'vk-follow': FollowButton,
    'vk-live-object': LiveObject,
  })
