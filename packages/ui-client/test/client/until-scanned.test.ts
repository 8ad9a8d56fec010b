import { describe, expect, test } from 'vitest'
import { untilScanned } from '../../src/client/until-scanned.ts'
import { type Attachment, KitError } from '../../src/index.ts'

const scanning = { status: 'scanning' } as Attachment
const ready = { status: 'ready' } as Attachment
const failure = (status: number, code: string, retryAfterMs: number | null = null) =>
  new KitError({ code, status }, { retryAfterMs })

/** Waits for a scan whose completions are answered in this order. */
function follow(...answers: readonly (Attachment | Error)[]) {
  const rest = [...answers]
  const waitsMs: number[] = []
  const complete = async () => {
    const answer = rest.shift()
    if (answer === undefined || answer instanceof Error) throw answer
    return answer
  }
  const result = untilScanned(complete, async (ms) => {
    waitsMs.push(ms)
  })
  return { result, waitsMs, rest }
}

describe('the wait for a scan', () => {
  test('repeats the completion after one second, and doubles the delay up to 30 seconds', async () => {
    const { result, waitsMs } = follow(...Array.from({ length: 6 }, () => scanning), ready)
    expect(await result).toBe(ready)
    expect(waitsMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  test('goes on after temporary failures, not before their Retry-After', async () => {
    const { result, waitsMs } = follow(
      failure(0, 'client.unreachable'),
      failure(429, 'rate_limit.exceeded', 60_000),
      failure(503, 'attachments.storage_unavailable', 5_000),
      ready,
    )
    expect(await result).toBe(ready)
    expect(waitsMs).toEqual([1_000, 2_000, 60_000, 8_000])
  })

  test.each([
    ['attachments.quarantined', 409],
    ['attachments.deleted', 409],
    ['attachments.not_found', 404],
    ['permission.denied', 403],
    ['internal', 500],
  ])('ends with the code %s', async (code, status) => {
    const { result, rest } = follow(scanning, failure(status, code), ready)
    await expect(result).rejects.toMatchObject({ code })
    expect(rest).toEqual([ready])
  })

  test('ends without a request when the wait is aborted', async () => {
    const reason = new DOMException('Aborted', 'AbortError')
    const complete = () => Promise.reject(new Error('A request was sent'))
    await expect(untilScanned(complete, () => Promise.reject(reason))).rejects.toBe(reason)
  })
})
