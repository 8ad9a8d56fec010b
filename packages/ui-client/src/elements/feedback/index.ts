export { defineFeedbackElements } from './define-elements.ts'
export { Toasts } from './toasts.ts'
