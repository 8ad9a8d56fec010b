import { expect } from 'vitest'

/** A response body with all properties that the tests read. */
export interface Body {
  readonly id: string
  readonly code: string
  readonly number: string
  readonly items: readonly Body[]
  readonly nextCursor: string | null
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  readonly [field: string]: unknown
}

/** Returns the parsed JSON body, or an object without fields if the body is empty. */
export async function bodyOf(response: Response): Promise<Body> {
  const text = await response.text()
  return (text === '' ? {} : JSON.parse(text)) as Body
}

/** Asserts the status of a response and, for a refusal, the error code. Returns the body. */
export async function expectAnswer(answer: Promise<Response>, status: number, code?: string): Promise<Body> {
  const response = await answer
  const body = await bodyOf(response)
  // In a successful response, `code` is not an error code, but for example the code of a role.
  const actualCode = response.ok ? undefined : body.code
  expect({ status: response.status, code: actualCode }).toEqual({ status, code })
  return body
}
