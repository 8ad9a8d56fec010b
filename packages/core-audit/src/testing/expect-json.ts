/**
 * Returns the JSON body of a response with the expected status; the caller asserts its shape. Throws for another status,
 * with the body in the message.
 */
export async function expectJson<T>(response: Response, status = 200): Promise<T> {
  if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
