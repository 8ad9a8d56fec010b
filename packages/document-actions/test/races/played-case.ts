import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import {
  type DocumentReference,
  genericDocumentStore,
  type StoredDocument,
} from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import type { Moment, Moments } from '../crash/moments.ts'
import { type Execution, execute, type ShopHost } from '../harness.ts'
import { type Answer, answerOf } from './answers.ts'
import { type Choice, createConductor } from './conductor.ts'

/** A planned request. Its details are fixed when it is first sent, so all retries are equal. */
export interface Intent {
  readonly actor: number
  readonly document: number
  /** Selects an action that the status of the document allows or forbids. */
  readonly action: number
  /** The difference between the expected version and the current version. */
  readonly versionOffset: number
  readonly key: number
}

/** A fault at one moment of a request, if the request reaches it. */
export interface Fault {
  readonly at: number
  readonly kind: 'throws' | 'loses its session'
}

/** The requests of parallel players, and the choices of the conductor. Each player sends one request at a time. */
export interface Case {
  readonly intents: readonly Intent[]
  readonly players: readonly (readonly { readonly intent: number; readonly fault: Fault | null }[])[]
  readonly choices: readonly Choice[]
}

/** A sent request with its answer. */
export interface Sent {
  /** The actor and the key of the request. */
  readonly ownKey: string
  readonly intent: Intent
  readonly expectedVersion: number
  readonly answer: Answer
  /** True if the fault occurred. */
  readonly isStruck: boolean
  /** True if no other request ran at the same time. */
  readonly isAlone: boolean
}

/** The documents and requests of a played case. */
export interface Played {
  readonly documents: readonly DocumentReference[]
  readonly sent: readonly Sent[]
}

/** The hosts and actors that play the cases. */
export interface Stage {
  readonly host: ShopHost
  /** A second host with its own pool that observes the database. */
  readonly onlooker: ShopHost
  readonly moments: Moments
  readonly actors: readonly TestRequest[]
}

/** The allowed actions by type and status. All other actions are rejected. */
const possible: Readonly<Record<string, readonly string[]>> = {
  'shop.invoice Draft': ['post', 'mark_for_deletion', 'shop.rename'],
  'shop.invoice Posted': ['unpost', 'repost', 'shop.write_off', 'shop.rename'],
  'shop.invoice MarkedForDeletion': ['unmark_for_deletion', 'shop.rename'],
  'shop.order Draft': ['post', 'mark_for_deletion'],
  'shop.order Posted': ['shop.create_invoice', 'shop.create_invoice', 'unpost'],
  'shop.order MarkedForDeletion': ['unmark_for_deletion'],
}
const rejected = ['post', 'unpost']

/** Plays a case, then repeats all its requests one by one without faults. */
export async function play(stage: Stage, { intents, players, choices }: Case): Promise<Played> {
  const { host, onlooker, moments, actors } = stage
  const documents = await makeDocuments(host)
  const conductor = createConductor(onlooker.database, choices)
  const keyPrefix = newId()
  const settled = new Map<Intent, Promise<Request>>()
  const sent: Sent[] = []

  const ask = async (intent: Intent, disturb: Disturbance = undisturbed): Promise<void> => {
    const request = settled.get(intent) ?? settle(stage, documents, intent)
    settled.set(intent, request)
    const { document, actionCode, call } = await request
    const key = `${keyPrefix}-${intent.key % 6}`
    const actor = intent.actor % actors.length
    const response = await moments.during(disturb.onMoment, () =>
      execute(actors[actor] as TestRequest, document, actionCode, { ...call, key }),
    )
    const answer = await answerOf(response)
    const isAlone = disturb === undisturbed
    const { expectedVersion } = call
    sent.push({
      ownKey: `${actor} ${key}`,
      intent,
      expectedVersion,
      answer,
      isStruck: disturb.isStruck,
      isAlone,
    })
  }

  await conductor.play(
    players.map((requests, player) => async () => {
      const turn = () => conductor.turn(player)
      for (const { intent, fault } of requests) {
        await turn()
        await ask(intents[intent % intents.length] as Intent, disturbance(turn, fault))
      }
    }),
  )
  for (const intent of settled.keys()) await ask(intent)
  return { documents, sent }
}

interface Request {
  readonly document: DocumentReference
  readonly actionCode: string
  readonly call: Execution & { readonly expectedVersion: number }
}

/** Creates two invoices, and a posted order for deriving invoices. */
async function makeDocuments(host: ShopHost): Promise<readonly StoredDocument[]> {
  const order = await host.addDocument('shop.order', { amount: '10.00', origin: 'order' })
  await host.database.statement((tx) =>
    tx.execute(sql`update document_actions.documents set status = 'Posted' where id = ${order.id}::uuid`),
  )
  return [await host.addDocument(), await host.addDocument(), order]
}

async function settle(
  { onlooker }: Stage,
  documents: readonly DocumentReference[],
  { document, action, versionOffset }: Intent,
): Promise<Request> {
  const reference = documents[document % documents.length] as DocumentReference
  const stored = await onlooker.database.read((db) => genericDocumentStore.find(db, reference))
  if (stored === undefined) throw new Error('A document of the case does not exist')
  const likely = possible[`${stored.typeCode} ${stored.status}`] ?? []
  const menu = [...likely, ...likely, ...likely, ...rejected]
  const actionCode = menu[action % menu.length] as string
  const expectedVersion = stored.version + versionOffset
  if (actionCode === 'shop.rename') {
    return { document: stored, actionCode, call: { expectedVersion, payload: { title: `${action}` } } }
  }
  return { document: stored, actionCode, call: { expectedVersion, reason: 'Asked for' } }
}

interface Disturbance {
  onMoment(moment: Moment): Promise<void>
  readonly isStruck: boolean
}

const undisturbed: Disturbance = { onMoment: async () => {}, isStruck: false }

/** Waits for a turn before each statement and causes the fault at its moment. */
function disturbance(turn: () => Promise<void>, fault: Fault | null): Disturbance {
  let momentCount = 0
  let isStruck = false
  return {
    get isStruck() {
      return isStruck
    },
    async onMoment({ phase, db }) {
      // After its fault, a request sends no further statements and is answered. Skip its remaining moments.
      if (isStruck) return
      if (phase === 'before') await turn()
      momentCount += 1
      if (fault === null || momentCount !== fault.at + 1) return
      isStruck = true
      if (fault.kind === 'throws' || db === null) throw new Error('Struck')
      await db.execute(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => {})
    },
  }
}
