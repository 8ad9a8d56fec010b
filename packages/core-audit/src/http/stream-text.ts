import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { KitEnv } from './kit-env.ts'

/**
 * Answers with the chunks of text that `chunks` generates. The next chunk is generated only after the client has taken the one
 * before, so memory does not grow. If the client leaves, the generator returns at its next `yield`. An empty chunk sends nothing.
 *
 * An error before the first chunk, also an empty one, is the error of the request. After it, the connection breaks, so that the
 * client never takes a part for the whole.
 */
export async function streamText(
  c: Context<KitEnv>,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncGenerator<string>,
): Promise<Response> {
  const encoder = new TextEncoder()
  let isCancelled = false
  let next: Promise<IteratorResult<string>> | undefined = Promise.resolve(await chunks.next())
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let result = await (next ?? chunks.next())
          next = undefined
          while (!isCancelled && result.value === '') result = await chunks.next()
          if (isCancelled) return
          if (result.done === true) controller.close()
          else controller.enqueue(encoder.encode(result.value))
        } catch (error) {
          if (!isCancelled) breakOff(c, error, controller)
        }
      },
      async cancel() {
        isCancelled = true
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return c.body(body, 200, headers)
}

/** Node's adapter would end a failed stream with the text of the error. Without its response, the connection breaks. */
function breakOff(
  c: Context<KitEnv>,
  error: unknown,
  controller: ReadableStreamDefaultController<Uint8Array>,
): void {
  c.get('logger')?.warn({ err: error, requestId: c.get('requestId') }, 'A streamed response was broken off.')
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse }
  if (outgoing === undefined) controller.error(error)
  else outgoing.destroy()
}
