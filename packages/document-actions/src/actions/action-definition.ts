import type { FieldChange } from '@vertical-kit/core-audit'
import type { Actor, Caller } from '@vertical-kit/core-audit/access'
import type { NavigationTarget } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type * as v from 'valibot'
import type { Confirmation, DisabledReason, DocumentStatus } from '../contract.ts'
import type { DocumentState, Fields, StoredDocument } from '../documents/document-store.ts'

/** What every action says of itself, and when it is available. */
interface ActionBase<F extends Fields, Facts> {
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
  readonly disabledReasons?: (facts: Facts, document: DocumentState<F>) => readonly DisabledReason[]
}

/** What a handler is given: the document is locked, and everything has been checked. */
export interface ActionExecution<F extends Fields = Fields, Facts = unknown, Payload = unknown> {
  readonly executionId: string
  /** As it was before. */
  readonly document: StoredDocument<F>
  readonly facts: Facts
  /** What the action's `payload` schema made of the request; `undefined` for an action without one. */
  readonly payload: Payload
  /** Trimmed; never null for an action that requires one. */
  readonly reason: string | null
  readonly actor: Actor
  /** With their rights as of now. */
  readonly caller: Caller
}

/** What becomes of the document. What is absent stays as it is. */
export interface ActionOutcome<F extends Fields = Fields> {
  readonly status?: DocumentStatus
  /** All of them; not parsed again. */
  readonly fields?: F
  /** For the audit event, besides the changes of status and fields, which are found by themselves. */
  readonly changes?: readonly FieldChange[]
}

/** What executing or following an action needs, besides `document.<type>.view`. */
interface OwnPermission {
  /** The last segment of the permission: `post` stands for `document.<type>.post`. */
  readonly permission: string
}

/** What the body's `payload` has to be. */
export type PayloadSchema = v.GenericSchema | undefined

/** What a schema makes of the body's `payload`; `undefined` without a schema. */
export type PayloadOf<Schema extends PayloadSchema> = Schema extends v.GenericSchema
  ? v.InferOutput<Schema>
  : undefined

/** An action that does something to its document, as a vertical defines it. */
export interface CommandInput<F extends Fields, Facts, Schema extends PayloadSchema>
  extends ActionBase<F, Facts>,
    OwnPermission {
  /** Without one the payload of a request is ignored, and the handler's is `undefined`. Prefer `v.strictObject`. */
  readonly payload?: Schema
  /** Whether tasks or notifications may follow; true when absent. */
  readonly workCenterMayChange?: boolean
  /**
   * Writes what the action does, with `tx`, in the transaction that also writes the document, its version, the audit
   * event, the outbox event and the answer. Throws a refusal (`defineErrors`) to refuse: nothing is kept then.
   */
  readonly handle: (
    tx: Tx,
    execution: ActionExecution<F, Facts, PayloadOf<Schema>>,
  ) => Promise<ActionOutcome<F> | undefined>
}

/** An action that makes a new document out of this one. Needs `document.<targetTypeCode>.create`. */
export interface DerivationInput<F extends Fields, Facts, Schema extends PayloadSchema>
  extends ActionBase<F, Facts> {
  readonly targetTypeCode: string
  readonly payload?: Schema
  readonly workCenterMayChange?: boolean
  /** Makes the document and returns it; the link between the two is recorded for it. Otherwise as `handle`. */
  readonly derive: (
    tx: Tx,
    execution: ActionExecution<F, Facts, PayloadOf<Schema>>,
  ) => Promise<StoredDocument>
}

/** An action of the user interface alone: it leads somewhere. The service does not execute it. */
export interface NavigationInput<F extends Fields, Facts> extends ActionBase<F, Facts>, OwnPermission {
  /** `Navigation` when absent. */
  readonly executionKind?: 'Navigation' | 'View'
  /** A place the host has registered. */
  readonly targetCode: string
  readonly parametersOf: (document: DocumentState<F>, facts: Facts) => NavigationTarget['parameters']
}

/** A command of any type. */
export interface CommandDefinition extends CommandInput<Fields, unknown, PayloadSchema> {
  readonly executionKind: 'Command'
}

/** A derivation of any type. */
export interface DerivationDefinition extends DerivationInput<Fields, unknown, PayloadSchema> {
  readonly executionKind: 'Derivation'
}

/** A place to go to, of any type. */
export interface NavigationDefinition extends NavigationInput<Fields, unknown> {
  readonly executionKind: 'Navigation' | 'View'
}

/** An action of any type: the types of its fields, facts and payload are known to its own functions alone. */
export type ActionDefinition = CommandDefinition | DerivationDefinition | NavigationDefinition

// These drop the types of their input. That is safe: the service runs an action with the fields, facts and payload of
// the action's own type.

export const command = <F extends Fields, Facts, Schema extends PayloadSchema = undefined>(
  input: CommandInput<F, Facts, Schema>,
): ActionDefinition => ({ ...input, executionKind: 'Command' }) as CommandDefinition

export const derivation = <F extends Fields, Facts, Schema extends PayloadSchema = undefined>(
  input: DerivationInput<F, Facts, Schema>,
): ActionDefinition => ({ ...input, executionKind: 'Derivation' }) as DerivationDefinition

export const navigation = <F extends Fields, Facts>(input: NavigationInput<F, Facts>): ActionDefinition =>
  ({ executionKind: 'Navigation', ...input }) as NavigationDefinition
