import type { ExecutionResult } from '@vertical-kit/document-actions/contract'
import { expect } from 'vitest'

/** The client's view of an answer to an action request. */
export interface Answer {
  readonly status: number
  /** The error code; `null` for a success. */
  readonly code: string | null
  /** The current version from a version conflict; otherwise `null`. */
  readonly actualVersion: number | null
  /** The result; `null` for an error. */
  readonly result: ExecutionResult | null
  readonly isReplay: boolean
  readonly retryAfter: string | null
}

type Refusal = { readonly code: string; readonly context: { readonly actualVersion?: number } }

/** Reads the status, headers and body of an answer. */
export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response
  const body = (await response.json()) as ExecutionResult & Partial<Refusal>
  return {
    status,
    code: status === 200 ? null : (body.code ?? ''),
    actualVersion: body.context?.actualVersion ?? null,
    result: status === 200 ? body : null,
    isReplay: headers.get('Idempotent-Replayed') === 'true',
    retryAfter: headers.get('Retry-After'),
  }
}

/** The answer to a repeat while the first request is in progress. */
export const inProgress = {
  status: 409,
  code: 'document_action.in_progress',
  retryAfter: '1',
} as const satisfies Partial<Answer>

/** Returns the answer to a repeat after the first request has completed. */
export function replayOf(first: Answer): Answer {
  expect(first.result).not.toBeNull()
  return { ...first, isReplay: true }
}

/**
 * Expects that exactly one of the answers to a key comes from an execution and that all other answers are replays or
 * `in_progress` errors. Returns the executed answer.
 */
export function expectOneExecution(answers: readonly Answer[]): Answer {
  const executed = answers.filter(({ status, isReplay }) => status === 200 && !isReplay)
  expect(executed).toHaveLength(1)
  const [first] = executed as [Answer]
  for (const answer of answers) {
    if (answer === first) continue
    if (answer.status === 200) expect(answer).toEqual(replayOf(first))
    else expect(answer).toMatchObject(inProgress)
  }
  return first
}
