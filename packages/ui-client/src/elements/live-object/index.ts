export { defineLiveObjectElements } from './define-elements.ts'
export { FollowButton } from './follow-button.ts'
export { LiveObject } from './live-object.ts'
