import type { ExecutionResult } from '@vertical-kit/document-actions/contract'
import { expect } from 'vitest'

/** An answer to a request for an action, as a client sees it. */
export interface Answer {
  readonly status: number
  /** Of a refusal; `null` for a success. */
  readonly code: string | null
  /** The document's, when that is what was refused. */
  readonly actualVersion: number | null
  /** `null` for a refusal. */
  readonly result: ExecutionResult | null
  readonly isReplay: boolean
  readonly retryAfter: string | null
}

type Refusal = { readonly code: string; readonly context: { readonly actualVersion?: number } }

/** Reads an answer whole. */
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

/** What a repeat gets while the first request is under way. */
export const inProgress = {
  status: 409,
  code: 'document_action.in_progress',
  retryAfter: '1',
} as const satisfies Partial<Answer>

/** What a repeat gets once the first request has completed. */
export function replayOf(first: Answer): Answer {
  expect(first.result).not.toBeNull()
  return { ...first, isReplay: true }
}

/**
 * Insists that exactly one of the answers to one key comes from an execution, and every other one is its replay or
 * says that it is under way. Returns the executed one.
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
