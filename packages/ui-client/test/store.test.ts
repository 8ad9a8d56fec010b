import { describe, expect, test } from 'vitest'
import { createClient, KitError } from '../src/index.ts'
import { openSession, openStore, outcome } from '../src/stores/index.ts'

const client = createClient({ accessToken: () => null })
const open = () => {
  const session = openSession({ client, userId: 'sub-1' })
  return { session, store: openStore(session, 0) }
}

describe('a store', () => {
  test.each([
    ['dispose', ({ store }: ReturnType<typeof open>) => store.dispose()],
    ['the end of its session', ({ session }: ReturnType<typeof open>) => session.close()],
  ])('is empty after %s, and stays empty', (_end, end) => {
    const opened = open()
    opened.store.set(1)
    opened.store.update((count) => count + 1)
    expect(opened.store.$state.get()).toBe(2)
    end(opened)
    opened.store.set(3)
    opened.store.update((count) => count + 1)
    expect(opened.store.$state.get()).toBe(0)
    expect(opened.store.signal.aborted).toBe(true)
  })

  test('does not affect its session or other stores when it ends', () => {
    const { session, store } = open()
    const other = openStore(session, 'initial')
    store.dispose()
    other.set('loaded')
    expect(session.signal.aborted).toBe(false)
    expect(other.$state.get()).toBe('loaded')
  })

  test('has ended from the start if its session is already closed', () => {
    const { session } = open()
    session.close()
    const late = openStore(session, 'initial')
    late.set('loaded')
    expect(late.$state.get()).toBe('initial')
    expect(late.signal.aborted).toBe(true)
  })
})

describe('the outcome of a request', () => {
  const error = new KitError({ code: 'client.unreachable', status: 0, detail: 'No answer.' })

  test('contains the response or the error', async () => {
    const { store } = open()
    expect(await outcome(store.signal, Promise.resolve('answer'))).toEqual({ value: 'answer' })
    expect(await outcome(store.signal, Promise.reject(error))).toEqual({ error })
  })

  test('is null if the store ends before the response, even if the request fails', async () => {
    const { store } = open()
    const answer = Promise.withResolvers<string>()
    const [answered, failed, faulty] = [
      outcome(store.signal, answer.promise),
      outcome(
        store.signal,
        answer.promise.then(() => Promise.reject(error)),
      ),
      outcome(
        store.signal,
        answer.promise.then(() => Promise.reject(new TypeError('a fault'))),
      ),
    ]
    store.dispose()
    answer.resolve('too late')
    expect(await Promise.all([answered, failed, faulty])).toEqual([null, null, null])
  })

  test('rejects if the error is a fault in the code of the page', async () => {
    const { store } = open()
    const fault = new TypeError('a fault')
    await expect(outcome(store.signal, Promise.reject(fault))).rejects.toBe(fault)
  })
})
