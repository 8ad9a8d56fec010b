import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KitError, type Page } from '../src/index.ts'
import { createPagedList, type PagedListOptions } from '../src/stores/paged-list.ts'

interface Row {
  readonly id: string
}

const idOf = (number: number) => String(number).padStart(6, '0')
const failure = () => Promise.reject(new KitError({ code: 'client.unreachable' }))

/** Creates a service with rows, newest first. A test can add and remove rows. */
function openService(initialCount = 0) {
  let rows: Row[] = []
  let next = 0
  const add = (count = 1) => {
    for (let added = 0; added < count; added += 1) {
      rows = [{ id: idOf(next) }, ...rows]
      next += 1
    }
  }
  add(initialCount)
  const read = (limit: number, cursor: string | null): Page<Row> => {
    const rest = rows.filter(({ id }) => cursor === null || id < cursor)
    const items = rest.slice(0, limit)
    return { items, nextCursor: rest.length > limit ? (items.at(-1)?.id ?? null) : null }
  }
  return {
    add,
    remove: (index: number) => {
      rows = rows.filter((_, at) => at !== index)
    },
    rows: () => rows,
    read,
  }
}

function openList(fetchPage: PagedListOptions<Row>['fetchPage'], pageSize = 5) {
  const ending = new AbortController()
  return { ending, ...createPagedList<Row>({ signal: ending.signal, pageSize, fetchPage }) }
}

const idsOf = ({ $list }: Pick<ReturnType<typeof openList>, '$list'>) => $list.get().items.map(({ id }) => id)

test('the first page is reported when its rows are shown, and never if a later page fails or another load replaces it', async () => {
  const service = openService(120)
  const shown: (string | undefined)[] = []
  let isDown = false
  let between = async () => {}
  const list = createPagedList<Row>({
    signal: new AbortController().signal,
    pageSize: 100,
    async fetchPage({ limit, cursor }) {
      if (cursor !== null) await between()
      return cursor !== null && isDown ? failure() : service.read(limit, cursor)
    },
    shown: ({ items: [first] }) => shown.push(first?.id),
  })
  await list.load()
  await list.loadMore()
  service.add()
  isDown = true
  await list.load()
  expect(list.$list.get().status).toBe('failed')
  expect(shown).toEqual([idOf(119)])
  isDown = false
  between = async () => {
    between = async () => {}
    service.add()
    void list.load()
  }
  await list.load()
  expect(shown).toEqual([idOf(119), idOf(121)])
  expect(idsOf(list)[0]).toBe(idOf(121))
})

describe('paging while rows are added and removed', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ do: fc.constant('remove' as const), index: fc.nat({ max: 30 }) }),
    fc.record({ do: fc.constantFrom('loadMore' as const, 'load' as const, 'fail' as const) }),
  )

  test('the list shows each row once and in order, and a load shows the current rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 40 }), fc.array(step, { maxLength: 25 }), async (count, steps) => {
        const service = openService(count)
        let isDown = false
        const list = openList(async ({ limit, cursor }) => (isDown ? failure() : service.read(limit, cursor)))
        await list.load()
        for (const each of steps) {
          if (each.do === 'add') service.add(each.count)
          else if (each.do === 'remove') service.remove(each.index)
          else if (each.do === 'fail') {
            const before = idsOf(list)
            isDown = true
            await list.loadMore()
            isDown = false
            expect(idsOf(list)).toEqual(before)
          } else await list[each.do]()
          const ids = idsOf(list)
          expect(new Set(ids).size).toBe(ids.length)
          expect(ids.toSorted().reverse()).toEqual(ids)
        }
        await list.load()
        while (list.$list.get().hasMore) await list.loadMore()
        expect(idsOf(list)).toEqual(service.rows().map(({ id }) => id))
        expect(list.$list.get()).toMatchObject({ status: 'ready', error: null })
      }),
    )
  })

  test('the list shows a row once even if the row moves to a later page between two requests', async () => {
    const pages = [
      { items: [{ id: 'a' }, { id: 'moves' }], nextCursor: '1' },
      { items: [{ id: 'b' }, { id: 'moves' }], nextCursor: '2' },
      { items: [{ id: 'a' }, { id: 'c' }], nextCursor: null },
    ]
    const list = openList(async ({ cursor }) => pages[Number(cursor ?? 0)] ?? failure(), 2)
    await list.load()
    await list.loadMore()
    await list.loadMore()
    expect(idsOf(list)).toEqual(['a', 'moves', 'b', 'c'])
    await list.load()
    expect(idsOf(list)).toEqual(['a', 'moves', 'b'])
  })

  test('a reload fetches at least as many rows as the list shows', async () => {
    const service = openService(120)
    const limits: number[] = []
    const list = openList(async ({ limit, cursor }) => {
      limits.push(limit)
      return service.read(limit, cursor)
    }, 25)
    await list.load()
    for (let page = 0; page < 4; page += 1) await list.loadMore()
    expect(idsOf(list)).toHaveLength(120)
    service.add(3)
    limits.length = 0
    await list.load()
    expect(limits).toEqual([100, 25])
    expect(idsOf(list).slice(0, 4)).toEqual([idOf(122), idOf(121), idOf(120), idOf(119)])
  })
})

describe('responses in any order', () => {
  /** Opens a list. Each response contains the rows at the time of its request. The test decides when a response arrives. */
  function openSlow(count: number) {
    const service = openService(count)
    const waiting: (() => void)[] = []
    const list = openList(({ limit, cursor }) => {
      const page = service.read(limit, cursor)
      return new Promise((resolve) => waiting.push(() => resolve(page)))
    })
    return { service, waiting, list }
  }

  test('the list shows the response to the newest load, and all calls wait for this response', async () => {
    const orders = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 })
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const { service, waiting, list } = openSlow(2)
        const loads = order.map(() => {
          service.add()
          return list.load().then(() => idsOf(list))
        })
        for (const index of order) {
          waiting[index]?.()
          await Promise.resolve()
        }
        const newest = service
          .rows()
          .slice(0, 5)
          .map(({ id }) => id)
        expect(await Promise.all(loads)).toEqual(order.map(() => newest))
        expect(list.$list.get().status).toBe('ready')
      }),
    )
  })

  test('a load that replaces the request of a page loads the rows of the page, too', async () => {
    const { service, waiting, list } = openSlow(12)
    const first = list.load()
    waiting.shift()?.()
    await first
    const more = list.loadMore()
    // A second call during the request does nothing.
    await list.loadMore()
    expect(waiting).toHaveLength(1)
    service.add(4)
    void list.load()
    const reload = list.refresh()
    waiting.pop()?.()
    await reload
    for (const arrive of waiting) arrive()
    await more
    expect(idsOf(list)).toEqual([15, 14, 13, 12, 11, 10, 9, 8, 7, 6].map(idOf))
    expect(list.$list.get()).toMatchObject({ status: 'ready', hasMore: true })
    void list.load()
    waiting.pop()?.()
    await expect.poll(() => list.$list.get().status).toBe('ready')
    expect(idsOf(list)).toHaveLength(10)
  })

  test('a page that is requested while the list is refreshed is part of its new rows', async () => {
    const { service, waiting, list } = openSlow(12)
    const first = list.load()
    waiting.shift()?.()
    await first
    service.add()
    void list.refresh()
    const more = [list.loadMore(), list.loadMore()]
    for (const arrive of waiting) arrive()
    await Promise.all(more)
    expect(idsOf(list)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map(idOf))
  })

  test('a page that is requested while the list is refreshed is not requested for other rows after a reset', async () => {
    const { waiting, list } = openSlow(12)
    const first = list.load()
    waiting.shift()?.()
    await first
    void list.refresh()
    const more = list.loadMore()
    list.reset()
    const other = list.load()
    for (const arrive of waiting) arrive()
    await Promise.all([more, other])
    expect(idsOf(list)).toHaveLength(5)
    expect(list.$list.get().status).toBe('ready')
  })

  test('a page that is requested while the list is refreshed is loaded with the list after a failure', async () => {
    const service = openService(12)
    let isDown = false
    const list = openList(async ({ limit, cursor }) => (isDown ? failure() : service.read(limit, cursor)))
    await list.load()
    isDown = true
    void list.refresh()
    await list.loadMore()
    expect(list.$list.get()).toMatchObject({ status: 'failed', error: { code: 'client.unreachable' } })
    expect(idsOf(list)).toHaveLength(5)
    isDown = false
    await list.loadMore()
    expect(idsOf(list)).toHaveLength(10)
  })

  test('a change during a load causes a second load', async () => {
    const { service, waiting, list } = openSlow(1)
    const load = list.load()
    service.add()
    list.change((rows) => [...service.rows().slice(0, 1), ...rows])
    expect(waiting).toHaveLength(2)
    for (const arrive of waiting) arrive()
    await load
    expect(idsOf(list)).toEqual([1, 0].map(idOf))
  })

  test('the list ignores pending responses after it was reset or has ended', async () => {
    for (const end of ['reset', 'abort'] as const) {
      const { waiting, list } = openSlow(1)
      const load = list.load()
      if (end === 'reset') list.reset()
      else list.ending.abort()
      waiting.shift()?.()
      await load
      list.change(() => (end === 'abort' ? [{ id: 'late' }] : []))
      expect(list.$list.get()).toMatchObject({ status: 'idle', items: [], hasMore: false, error: null })
    }
  })
})

test('a list shows the error of a failed load, and the next load recovers', async () => {
  const service = openService(3)
  let isDown = true
  const list = openList(async ({ limit, cursor }) => (isDown ? failure() : service.read(limit, cursor)))
  await list.load()
  expect(list.$list.get()).toMatchObject({
    status: 'failed',
    items: [],
    error: { code: 'client.unreachable' },
  })
  isDown = false
  await list.load()
  expect(list.$list.get()).toMatchObject({ status: 'ready', error: null })
  isDown = true
  await list.load()
  expect(list.$list.get()).toMatchObject({ status: 'failed', error: { code: 'client.unreachable' } })
  expect(idsOf(list)).toHaveLength(3)
  // The button at the end of a list calls this method after each failure.
  isDown = false
  await list.loadMore()
  expect(list.$list.get()).toMatchObject({ status: 'ready', error: null })
})

test('a refresh keeps the error of a failed list until the answer, and a load by the user does not', async () => {
  const answers: PromiseWithResolvers<Page<Row>>[] = []
  const list = openList(() => {
    const answer = Promise.withResolvers<Page<Row>>()
    answers.push(answer)
    return answer.promise
  })
  const shown = () => [list.$list.get().status, list.$list.get().error?.code]
  const first = list.load()
  expect(shown()).toEqual(['loading', undefined])
  answers[0]?.reject(new KitError({ code: 'client.unreachable' }))
  await first
  void list.refresh()
  expect(shown()).toEqual(['loading', 'client.unreachable'])
  const last = list.load()
  expect(shown()).toEqual(['loading', undefined])
  for (const answer of answers) answer.resolve({ items: [{ id: 'a' }], nextCursor: 'next' })
  await last
  expect(shown()).toEqual(['ready', undefined])
  // The error of a page is no error of the list.
  const more = list.loadMore()
  answers.at(-1)?.reject(new KitError({ code: 'internal', status: 500 }))
  await more
  void list.refresh()
  expect(shown()).toEqual(['refreshing', undefined])
})

test('a programming error rejects the load and is not shown as a network error', async () => {
  const list = openList(() => Promise.reject(new RangeError('a bug')))
  await expect(list.load()).rejects.toThrow(RangeError)
})

test('a load keeps the rows that are equal, so that a page renders only the rows that have changed', async () => {
  let title = 'first'
  const rows = () => [
    { id: '2', title },
    { id: '1', title: 'same' },
  ]
  const list = createPagedList<Row>({
    signal: new AbortController().signal,
    pageSize: 5,
    fetchPage: async () => ({ items: rows(), nextCursor: null }),
  })
  await list.load()
  const before = list.$list.get().items
  title = 'second'
  await list.load()
  const after = list.$list.get().items
  expect(after).toEqual(rows())
  expect(after[1]).toBe(before[1])
  expect(after[0]).not.toBe(before[0])
})
