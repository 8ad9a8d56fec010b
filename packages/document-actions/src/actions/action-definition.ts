import type { FieldChange } from '@vertical-kit/core-audit'
import type { Actor, Caller } from '@vertical-kit/core-audit/access'
import type { Db, Tx } from '@vertical-kit/core-audit/database'
import type * as v from 'valibot'
import type { ActionTarget, Confirmation, DisabledReason, DocumentStatus } from '../contract.ts'
import type { DocumentState, Fields, StoredDocument } from '../documents/document-store.ts'

/** What every action says of itself, and when it is available. */
interface ActionBase<Facts> {
  /** Stable; in URLs, audit events and outbox events. Custom ones start with the vertical's name: `trade.write_off`. */
  readonly code: string
  readonly label: string
  readonly description: string
  /** Name of an icon of the user interface. */
  readonly icon: string
  readonly kind: 'Primary' | 'Secondary' | 'Dangerous'
  /** Position in the list, from 0; no two of a type share one. */
  readonly order: number
  /** What to ask before executing. Nothing when absent. */
  readonly confirmation?: Confirmation
  /**
   * Why the action is not available now; nothing when it is. Pure: it decides over the document and the facts its type
   * loads, when the action is shown and again, under the document's lock, when it is executed. A reason is shown to
   * everybody who may execute the action, so it tells nothing that they may not see.
   */
  disabledReasons?(facts: Facts, document: DocumentState): readonly DisabledReason[]
}

/** What a handler is given: the document is locked, and everything has been checked. */
export interface ActionExecution<Facts, Payload> {
  readonly executionId: string
  /** As it was before. */
  readonly document: StoredDocument
  readonly facts: Facts
  /** What the action's `payload` schema made of the request. */
  readonly payload: Payload
  /** Trimmed; never null for an action that requires one. */
  readonly reason: string | null
  readonly actor: Actor
  /** With their rights as of now. */
  readonly caller: Caller
}

/** What becomes of the document. What is absent stays as it is. */
export interface ActionOutcome {
  readonly status?: DocumentStatus
  readonly fields?: Fields
  /** For the audit event, besides the changes of status and fields, which are found by themselves. */
  readonly changes?: readonly FieldChange[]
}

/** What executing or following an action needs, besides `document.<type>.view`. */
interface OwnPermission {
  /** The last segment of the permission: `post` stands for `document.<type>.post`. */
  readonly permission: string
}

/** An action that does something to its document. */
export interface CommandDefinition<Facts, Payload = unknown> extends ActionBase<Facts>, OwnPermission {
  readonly executionKind: 'Command'
  /** What the body's `payload` has to be. Without one the payload is ignored. Prefer `v.strictObject`. */
  readonly payload?: v.GenericSchema<unknown, Payload>
  /** Whether tasks or notifications may follow; true when absent. */
  readonly workCenterMayChange?: boolean
  /**
   * Writes what the action does, with `tx`, in the transaction that also writes the document, its version, the audit
   * event, the outbox event and the answer. Throws a refusal (`defineErrors`) to refuse: nothing is kept then.
   */
  handle(tx: Tx, execution: ActionExecution<Facts, Payload>): Promise<ActionOutcome | undefined>
}

/** An action that makes a new document out of this one. Needs `document.<targetTypeCode>.create`. */
export interface DerivationDefinition<Facts, Payload = unknown> extends ActionBase<Facts> {
  readonly executionKind: 'Derivation'
  readonly targetTypeCode: string
  readonly payload?: v.GenericSchema<unknown, Payload>
  readonly workCenterMayChange?: boolean
  /** Makes the document and returns it; the link between the two is recorded for it. Otherwise as `handle`. */
  derive(tx: Tx, execution: ActionExecution<Facts, Payload>): Promise<StoredDocument>
}

/** An action of the user interface alone: it leads somewhere. The service does not execute it. */
export interface NavigationDefinition<Facts> extends ActionBase<Facts>, OwnPermission {
  readonly executionKind: 'Navigation' | 'View'
  /** A place the host has registered. */
  readonly targetCode: string
  parametersOf(document: DocumentState, facts: Facts): ActionTarget['parameters']
}

/** What may be done to a document of one type. Made with {@link command}, {@link derivation}, {@link navigation}. */
export type ActionDefinition<Facts> =
  | CommandDefinition<Facts>
  | DerivationDefinition<Facts>
  | NavigationDefinition<Facts>

/** A command, its payload typed by its schema. */
export function command<Facts, Payload = undefined>(
  definition: Omit<CommandDefinition<Facts, Payload>, 'executionKind'>,
): ActionDefinition<Facts> {
  return { ...definition, executionKind: 'Command' } as CommandDefinition<Facts>
}

/** A derivation, its payload typed by its schema. */
export function derivation<Facts, Payload = undefined>(
  definition: Omit<DerivationDefinition<Facts, Payload>, 'executionKind'>,
): ActionDefinition<Facts> {
  return { ...definition, executionKind: 'Derivation' } as DerivationDefinition<Facts>
}

/** A place to go to. */
export function navigation<Facts>(
  definition: Omit<NavigationDefinition<Facts>, 'executionKind'> & {
    readonly executionKind?: 'Navigation' | 'View'
  },
): ActionDefinition<Facts> {
  return { executionKind: 'Navigation', ...definition }
}

/** Loads what availability is decided over: a fixed number of statements, however many actions there are. */
export type LoadFacts<Facts> = (db: Db, document: DocumentState) => Promise<Facts>
