import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database, Db } from '@vertical-kit/core-audit/database'
import { SQL, StringChunk } from 'drizzle-orm/sql'

/** A moment of a request: right before or right after one of its database operations. */
export interface Moment {
  readonly phase: 'before' | 'after'
  /** `begin`, `commit`, or the beginning of the statement. */
  readonly step: string
  /** The database handle of the session, or `null` if the request has none yet. */
  readonly db: Db | null
}

/** Called at every moment. If it rejects, the database operation at this moment also rejects. */
export type OnMoment = (moment: Moment) => Promise<void>

/** Wraps the database of modules, so tests control every moment of a request. */
export interface Moments {
  observe(database: Database): Database
  /** Sends a request and calls `onMoment` at all moments of this request, but not of other requests. */
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
 * Sends pipelined statements one by one, so the moments of each statement occur in order. Stops after a failed statement,
 * because the request has already been rejected.
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

/** Returns the beginning of a statement. It is long enough to identify the statement. */
const beginningOf = (statement: SQL): string =>
  wordsOf(statement.queryChunks).trim().replaceAll(/\s+/g, ' ').slice(0, 60)

const wordsOf = (chunks: SQL['queryChunks']): string => chunks.map(wordOf).join('')

function wordOf(chunk: unknown): string {
  if (chunk instanceof SQL) return wordsOf(chunk.queryChunks)
  return chunk instanceof StringChunk ? chunk.value.join('') : '?'
}

/** Describes a moment, for failure messages. */
export const nameOf = ({ phase, step }: Pick<Moment, 'phase' | 'step'>): string => `${phase} ${step}`
