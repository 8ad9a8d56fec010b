import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Db } from '@vertical-kit/core-audit/database'
import { SQL, StringChunk } from 'drizzle-orm/sql'

/** A moment of a request at its database: right before something is done there, or right after. */
export interface Moment {
  readonly phase: 'before' | 'after'
  /** `begin`, `commit`, or how the statement begins. */
  readonly step: string
  /** What the session can be asked through; `null` while the request has none. */
  readonly db: Db | null
}

/** What is done at every moment; when it rejects, so does what the moment belongs to. */
export type OnMoment = (moment: Moment) => Promise<void>

/** Stands between modules and their database, so that a test decides what happens at each moment of a request. */
export interface Moments {
  observe(database: Database): Database
  /** Sends a request with every one of its moments seen. Requests outside pass unseen. */
  during<T>(onMoment: OnMoment, request: () => Promise<T>): Promise<T>
}

export function createMoments(): Moments {
  const requests = new AsyncLocalStorage<OnMoment>()
  const current = (): OnMoment => requests.getStore() ?? (async () => {})
  return {
    during: (onMoment, request) => requests.run(onMoment, request),
    observe: (database) => ({
      ...database,
      read(work) {
        const onMoment = current()
        return database.read((db) => work(observed(db, onMoment)))
      },
      async transaction(work) {
        const onMoment = current()
        await onMoment({ phase: 'before', step: 'begin', db: null })
        const result = await database.transaction(async (tx) => {
          await onMoment({ phase: 'after', step: 'begin', db: tx })
          const done = await work(observed(tx, onMoment))
          await onMoment({ phase: 'before', step: 'commit', db: tx })
          return done
        })
        await onMoment({ phase: 'after', step: 'commit', db: null })
        return result
      },
    }),
  }
}

/**
 * Statements that are sent together are sent one by one here: each has its own moments, in their order. After one that
 * failed none is sent: nobody waits for its answer any more.
 */
function observed<Handle extends Db>(handle: Handle, onMoment: OnMoment): Handle {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...handle,
    execute: ((statement) => {
      const step = beginningOf(statement)
      const send = async () => {
        await onMoment({ phase: 'before', step, db: handle })
        const rows = await handle.execute(statement)
        await onMoment({ phase: 'after', step, db: handle })
        return rows
      }
      const answer = last.then(send)
      last = answer
      return answer as never
    }) satisfies Db['execute'],
  }
}

/** The words a statement begins with: enough to find it. */
const beginningOf = (statement: SQL): string =>
  wordsOf(statement.queryChunks).trim().replaceAll(/\s+/g, ' ').slice(0, 60)

const wordsOf = (chunks: SQL['queryChunks']): string => chunks.map(wordOf).join('')

function wordOf(chunk: unknown): string {
  if (chunk instanceof SQL) return wordsOf(chunk.queryChunks)
  return chunk instanceof StringChunk ? chunk.value.join('') : '?'
}

/** A moment in words, for the title of a failure. */
export const nameOf = ({ phase, step }: Pick<Moment, 'phase' | 'step'>): string => `${phase} ${step}`
