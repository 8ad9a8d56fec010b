import { isKitError } from '@vertical-kit/core-audit'

/** What a decision comes to: its answer, or the code, context and field errors it refuses with. */
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
