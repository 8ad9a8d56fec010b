import type { FieldChange } from '@vertical-kit/core-audit'
import type { Actor, Caller } from '@vertical-kit/core-audit/access'
import type { NavigationTarget } from '@vertical-kit/core-audit/contract'
import type { Tx } from '@vertical-kit/core-audit/database'
import type * as v from 'valibot'
import type { Confirmation, DisabledReason, DocumentStatus, Remedy } from '../contract.ts'
import type { DocumentState, Fields, StoredDocument } from '../documents/document-store.ts'
import type { DrawNumber } from './draw-number.ts'

/** A reason why an action is unavailable. */
export interface DisabledReasonInput extends Pick<DisabledReason, 'code' | 'message'> {
  /** A suggestion that makes the action available. Default: no suggestion. */
  readonly remedy?: Remedy | null
}

/** The properties of every action. */
interface ActionBase<F extends Fields, Facts> {
  /** A stable code for URLs, audit events and outbox events. Your own codes start with your vertical: `trade.write_off`. */
  readonly code: string
  readonly label: string
  readonly description: string
  /** The name of an icon in the user interface. */
  readonly icon: string
  readonly kind: 'Primary' | 'Secondary' | 'Dangerous'
  /** The position of the action in the list: an integer of at least 0 that is unique within the type. */
  readonly order: number
  /** The confirmation before an execution. Default: none. */
  readonly confirmation?: Confirmation
  /**
   * Returns the reasons why the action is unavailable, or an empty list if the action is available. Must be pure: reads
   * only its arguments. Runs for each list of actions, and again during the execution after the document is locked. All
   * users with permission for the action see the reasons, so the reasons must not reveal other data.
   */
  readonly disabledReasons?: (facts: Facts, document: DocumentState<F>) => readonly DisabledReasonInput[]
}

/** The input of a handler. The document is locked, and all checks have passed. */
export interface ActionExecution<F extends Fields = Fields, Facts = unknown, Payload = unknown> {
  readonly executionId: string
  /** The document before the execution. */
  readonly document: StoredDocument<F>
  readonly facts: Facts
  /** The output of the action's `payload` schema, or `undefined` for an action without a schema. */
  readonly payload: Payload
  /** The trimmed reason. Never null if the action requires a reason. */
  readonly reason: string | null
  readonly actor: Actor
  /** The caller with their current permissions. */
  readonly caller: Caller
  /**
   * Returns the number that `draw` draws, such as the next value of a sequence. In a dry run, returns a placeholder
   * instead, because the values of a sequence are not returned by a rollback. Draw the numbers of new documents with it.
   */
  readonly drawNumber: DrawNumber
}

/** The changes to the document. Absent properties stay unchanged. */
export interface ActionOutcome<F extends Fields = Fields> {
  readonly status?: DocumentStatus
  /** The complete new fields. The package stores them without parsing them. */
  readonly fields?: F
  /** Further changes for the audit event. Changes of status and fields are added automatically. */
  readonly changes?: readonly FieldChange[]
}

/** The permission to execute an action or open its page, in addition to `document.<type>.view`. */
interface OwnPermission {
  /**
   * The last segment of the permission, such as `post` for `document.<type>.post`. The package registers it, so it is
   * neither `create` nor `view`. A navigation for everyone who sees the document has `view`.
   */
  readonly permission: string
}

/** The schema of `payload` in the body, or `undefined` for an action without input. */
export type PayloadSchema = v.GenericSchema | undefined

/** The output type of a payload schema, or `undefined` without a schema. */
export type PayloadOf<Schema extends PayloadSchema> = Schema extends v.GenericSchema
  ? v.InferOutput<Schema>
  : undefined

/** The definition of an action that changes its document. */
export interface CommandInput<F extends Fields, Facts, Schema extends PayloadSchema>
  extends ActionBase<F, Facts>,
    OwnPermission {
  /** The schema of the payload. Without a schema, the payload of requests is ignored. Prefer `v.strictObject`. */
  readonly payload?: Schema
  /** True if the action can lead to tasks or notifications. Default: true. */
  readonly workCenterMayChange?: boolean
  /**
   * Writes the effects of the action with `tx`. The same transaction writes the document, its version, the audit event,
   * the outbox event and the answer. To reject the request, throw an error of `defineErrors`: the transaction rolls back.
   */
  readonly handle: (
    tx: Tx,
    execution: ActionExecution<F, Facts, PayloadOf<Schema>>,
  ) => Promise<ActionOutcome<F> | undefined>
}

/** The definition of an action that derives a new document. Callers need `document.<targetTypeCode>.create`. */
export interface DerivationInput<F extends Fields, Facts, Schema extends PayloadSchema>
  extends ActionBase<F, Facts> {
  readonly targetTypeCode: string
  readonly payload?: Schema
  readonly workCenterMayChange?: boolean
  /** Creates the new document and returns it. The package links both documents. The rules of `handle` also apply here. */
  readonly derive: (
    tx: Tx,
    execution: ActionExecution<F, Facts, PayloadOf<Schema>>,
  ) => Promise<StoredDocument>
}

/** The definition of an action that only opens a page of the user interface. The service does not execute it. */
export interface NavigationInput<F extends Fields, Facts> extends ActionBase<F, Facts>, OwnPermission {
  /** The execution kind. Default: `Navigation`. */
  readonly executionKind?: 'Navigation' | 'View'
  /** One of the `navigationTargets` that the host registers. */
  readonly targetCode: string
  readonly parametersOf: (document: DocumentState<F>, facts: Facts) => NavigationTarget['parameters']
}

/** A command of any document type. */
export interface CommandDefinition extends CommandInput<Fields, unknown, PayloadSchema> {
  readonly executionKind: 'Command'
}

/** A derivation of any document type. */
export interface DerivationDefinition extends DerivationInput<Fields, unknown, PayloadSchema> {
  readonly executionKind: 'Derivation'
}

/** A navigation of any document type. */
export interface NavigationDefinition extends NavigationInput<Fields, unknown> {
  readonly executionKind: 'Navigation' | 'View'
}

/** An action of any document type. Only the functions of the action use the types of its fields, facts and payload. */
export type ActionDefinition = CommandDefinition | DerivationDefinition | NavigationDefinition

// These functions erase the types of their input. This is safe: the service always runs an action with the fields, facts
// and payload of its own type.

export const command = <F extends Fields, Facts, Schema extends PayloadSchema = undefined>(
  input: CommandInput<F, Facts, Schema>,
): ActionDefinition => ({ ...input, executionKind: 'Command' }) as CommandDefinition

export const derivation = <F extends Fields, Facts, Schema extends PayloadSchema = undefined>(
  input: DerivationInput<F, Facts, Schema>,
): ActionDefinition => ({ ...input, executionKind: 'Derivation' }) as DerivationDefinition

export const navigation = <F extends Fields, Facts>(input: NavigationInput<F, Facts>): ActionDefinition =>
  ({ executionKind: 'Navigation', ...input }) as NavigationDefinition
