/**
 * The JSON body of a response with the expected status; its shape is the caller's claim. A response with another status
 * is an error that quotes its body.
 */
export async function expectJson<T>(response: Response, status = 200): Promise<T> {
  if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
