import { expect } from 'vitest'

/** What the tests look at in an answer, whatever its shape. */
export interface Body {
  readonly id: string
  readonly code: string
  readonly number: string
  readonly items: readonly Body[]
  readonly nextCursor: string | null
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  readonly [field: string]: unknown
}

/** The body as JSON; an empty one has no fields. */
export async function bodyOf(response: Response): Promise<Body> {
  const text = await response.text()
  return (text === '' ? {} : JSON.parse(text)) as Body
}

/** Asserts the status, and the code of a refusal, and returns the body. */
export async function expectAnswer(answer: Promise<Response>, status: number, code?: string): Promise<Body> {
  const response = await answer
  const body = await bodyOf(response)
  // What succeeded may have a `code` of its own: a role's.
  const actualCode = response.ok ? undefined : body.code
  expect({ status: response.status, code: actualCode }).toEqual({ status, code })
  return body
}
