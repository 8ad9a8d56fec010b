import { isKitError } from '@vertical-kit/core-audit'

/** Returns the result of a decision, or the code, context and field errors of its refusal. */
export function outcomeOf(decide: () => unknown): unknown {
  try {
    return decide()
  } catch (error) {
    if (!isKitError(error)) throw error
    const { code, context, errors } = error
    if (context === undefined && errors === undefined) return code
    return { code, ...(context && { context }), ...(errors && { errors }) }
  }
}
