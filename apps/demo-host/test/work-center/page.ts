import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import type { Item, ItemPage, Summary, Tab } from '@vertical-kit/work-center/contract'
import { onTestFinished } from 'vitest'
import { type Body, expectAnswer } from '../answers.ts'
import type { Request } from '../demo-process.ts'
import type { Replica } from './hosts.ts'

/** A simulated open page of a user. It receives new versions from the hub and loads items over HTTP. */
export interface Page {
  readonly request: Request
  /** All versions of the summary that the page received from the hub, in order. */
  readonly versions: readonly number[]
  /** The events of the connection in order: `reconnecting`, `reconnected` or `closed`. */
  readonly events: readonly string[]
  summary(): Promise<Summary>
  items(tab: Tab, query?: string): Promise<readonly Item[]>
  /** Calls `look` immediately and after every event of the page. Resolves with the first value that is defined. */
  until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T>
  /** Waits until a tab contains a matching item, and returns that item. */
  item(tab: Tab, wanted: (item: Item) => boolean): Promise<Item>
  /** Waits until no item on the tab matches. */
  gone(tab: Tab, unwanted: (item: Item) => boolean): Promise<void>
  /** Waits until the page has received the current version of the summary. */
  isCurrent(): Promise<void>
  /** Resolves when the connection has closed permanently. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export interface PageOf {
  readonly url: string
  readonly request: Request
  readonly token: () => Promise<string>
}

/** Opens a page that closes at the end of the test. */
export async function openPage(of: PageOf): Promise<Page> {
  const page = await connectPage(of)
  onTestFinished(() => page.close())
  return page
}

/** Opens a page with the SignalR client for browsers. The delays before a reconnect are short. */
export async function connectPage({ url, request, token }: PageOf): Promise<Page> {
  const client = new HubConnectionBuilder()
    .withUrl(`${url}/hubs/work-center`, {
      accessTokenFactory: token,
      transport: HttpTransportType.WebSockets,
    })
    .withAutomaticReconnect({ nextRetryDelayInMilliseconds: () => 50 })
    .configureLogging(LogLevel.None)
    .build()
  const versions: number[] = []
  const events: string[] = []
  let eventCount = 0
  let nextEvent = Promise.withResolvers<void>()
  const signalEvent = (): void => {
    eventCount += 1
    nextEvent.resolve()
    nextEvent = Promise.withResolvers()
  }
  const record = (event: string) => (): void => {
    events.push(event)
    signalEvent()
  }
  client.on('workCenterChanged', (version: number) => {
    versions.push(version)
    signalEvent()
  })
  client.onreconnecting(record('reconnecting'))
  client.onreconnected(record('reconnected'))
  const ended = Promise.withResolvers<void>()
  client.onclose(() => {
    record('closed')()
    ended.resolve()
  })
  await client.start()

  const page: Page = {
    request,
    versions,
    events,
    ended: ended.promise,
    summary: async () =>
      (await expectAnswer(request('GET', '/api/work-center/summary'), 200)) as Body & Summary,
    async items(tab, query = '') {
      const path = `/api/work-center/items?tab=${tab}&limit=100${query}`
      return ((await expectAnswer(request('GET', path), 200)) as unknown as ItemPage).items
    },
    async until(look) {
      for (;;) {
        const [before, next] = [eventCount, nextEvent.promise]
        const found = await look()
        if (found !== undefined) return found
        if (eventCount === before) await next
      }
    },
    item: (tab, wanted) => page.until(async () => (await page.items(tab)).find(wanted)),
    async gone(tab, unwanted) {
      await page.until(async () => ((await page.items(tab)).some(unwanted) ? undefined : true))
    },
    async isCurrent() {
      const { version } = await page.summary()
      await page.until(() => versions.includes(version) || undefined)
    },
    close: () => client.stop(),
  }
  return page
}

/** Opens a user's page at a replica. */
export const pageOf = async (replica: Replica, user: string): Promise<Page> =>
  openPage({ url: replica.url, request: await replica.as(user), token: () => replica.token(user) })

/** Returns a function that matches items about a document. */
export const about =
  ({ id }: { readonly id: string }) =>
  ({ source }: Item): boolean =>
    source.entityId === id
