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

/** What somebody wants; what exactly that is, is settled when it is asked for first: every retry asks for the same. */
export interface Intent {
  readonly actor: number
  readonly document: number
  /** Picks one of what the document's status allows, or of what it does not. */
  readonly action: number
  /** 0 asks for the version that is there. */
  readonly versionOffset: number
  readonly key: number
}

/** Something that goes wrong at one of a request's moments, if it gets that far. */
export interface Fault {
  readonly at: number
  readonly kind: 'throws' | 'loses its session'
}

/** What players do in parallel, each one request after another, and who goes on whenever all is quiet. */
export interface Case {
  readonly intents: readonly Intent[]
  readonly players: readonly (readonly { readonly intent: number; readonly fault: Fault | null }[])[]
  readonly choices: readonly Choice[]
}

/** A request that was sent, with the answer it got. */
export interface Sent {
  /** The key with its actor. */
  readonly ownKey: string
  readonly intent: Intent
  readonly expectedVersion: number
  readonly answer: Answer
  /** Whether its fault struck. */
  readonly isStruck: boolean
  /** Whether nothing else was going on. */
  readonly isAlone: boolean
}

/** What a case came to. */
export interface Played {
  readonly documents: readonly DocumentReference[]
  readonly sent: readonly Sent[]
}

/** Where cases are played. */
export interface Stage {
  readonly host: ShopHost
  /** Looks on, with a pool of its own. */
  readonly onlooker: ShopHost
  readonly moments: Moments
  readonly actors: readonly TestRequest[]
}

/** By status; the rest are asked for in vain. */
const possible: Readonly<Record<string, readonly string[]>> = {
  'shop.invoice Draft': ['post', 'mark_for_deletion', 'shop.rename'],
  'shop.invoice Posted': ['unpost', 'repost', 'shop.write_off', 'shop.rename'],
  'shop.invoice MarkedForDeletion': ['unmark_for_deletion', 'shop.rename'],
  'shop.order Draft': ['post', 'mark_for_deletion'],
  'shop.order Posted': ['shop.create_invoice', 'shop.create_invoice', 'unpost'],
  'shop.order MarkedForDeletion': ['unmark_for_deletion'],
}
const inVain = ['post', 'unpost']

/** Plays a case, then asks for everything once more, one after another and undisturbed. */
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

/** Two invoices, and an order to make invoices of. */
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
  if (stored === undefined) throw new Error('A document of the case is gone')
  const likely = possible[`${stored.typeCode} ${stored.status}`] ?? []
  const menu = [...likely, ...likely, ...likely, ...inVain]
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

/** Waits for a turn before each statement, and brings the fault about at its moment. */
function disturbance(turn: () => Promise<void>, fault: Fault | null): Disturbance {
  let momentCount = 0
  let isStruck = false
  return {
    get isStruck() {
      return isStruck
    },
    async onMoment({ phase, db }) {
      // What lost its session is answered at once, and nobody waits for the rest.
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
