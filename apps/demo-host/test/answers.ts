import { expect } from 'vitest'

/** The properties of a response body that tests read. */
export interface Body {
  readonly id: string
  readonly code: string
  readonly number: string
  readonly items: readonly Body[]
  readonly nextCursor: string | null
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  readonly [field: string]: unknown
}

/** Parses the body as JSON. An empty body becomes an object without fields. */
export async function bodyOf(response: Response): Promise<Body> {
  const text = await response.text()
  return (text === '' ? {} : JSON.parse(text)) as Body
}

/** Asserts the status and, for a refusal, its code. Returns the body. */
export async function expectAnswer(answer: Promise<Response>, status: number, code?: string): Promise<Body> {
  const response = await answer
  const body = await bodyOf(response)
  // A successful response can contain a `code` that is not an error code, for example of a role.
  const actualCode = response.ok ? undefined : body.code
  expect({ status: response.status, code: actualCode }).toEqual({ status, code })
  return body
}
