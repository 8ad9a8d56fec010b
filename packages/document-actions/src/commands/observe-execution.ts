import { isKitError } from '@vertical-kit/core-audit'
import { counter, withSpan } from '@vertical-kit/core-audit/telemetry'
import type { ExecuteAction, ExecutionAnswer } from './execute-action.ts'

const executions = counter('vertical_kit.action.executions', {
  unit: '{execution}',
  description: 'Requests to execute an action, by outcome: completed, replayed, or an error code.',
})

/**
 * Runs an execution in a span and counts its outcome. All attributes come from registries: the type and the action of the
 * document, and the error codes. A refusal is an outcome, not a failure of the span.
 */
export function observeExecution(
  { type, action }: Pick<ExecuteAction, 'type' | 'action'>,
  work: () => Promise<ExecutionAnswer>,
): Promise<ExecutionAnswer> {
  const attributes = {
    'vertical_kit.document.type': type.definition.typeCode,
    'vertical_kit.action.code': action.definition.code,
  }
  return withSpan(
    () => ({ name: `action ${type.definition.typeCode} ${action.definition.code}`, attributes }),
    async (span) => {
      const end = (outcome: string): void => {
        span.setAttributes({ 'vertical_kit.action.outcome': outcome })
        executions.record(1, { ...attributes, 'vertical_kit.action.outcome': outcome })
      }
      try {
        const answer = await work()
        end(answer.isReplay ? 'replayed' : 'completed')
        return answer
      } catch (error) {
        end(isKitError(error) ? error.code : 'internal')
        throw error
      }
    },
  )
}
