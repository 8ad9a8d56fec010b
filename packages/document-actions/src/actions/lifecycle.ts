import type { Tx } from '@vertical-kit/core-audit/database'
import type { Confirmation, DocumentStatus, Remedy } from '../contract.ts'
import type { DocumentState, Fields } from '../documents/document-store.ts'
import {
  type ActionDefinition,
  type ActionExecution,
  type ActionOutcome,
  command,
  type DisabledReasonInput,
} from './action-definition.ts'

/** The action codes of the lifecycle. Each code has the same meaning for all types. */
export const lifecycleCodes = [
  'post',
  'unpost',
  'repost',
  'mark_for_deletion',
  'unmark_for_deletion',
] as const
export type LifecycleCode = (typeof lifecycleCodes)[number]

/** The additions of a vertical to one lifecycle step. */
export interface LifecycleStep<F extends Fields, Facts> {
  /** Writes the effects of the step. The package sets the status. */
  readonly handle?: (
    tx: Tx,
    execution: ActionExecution<F, Facts, undefined>,
  ) => Promise<(ActionOutcome<F> & { readonly status?: never }) | undefined>
  /** Returns further reasons why the step is unavailable. Called only if the status allows the step. */
  readonly disabledReasons?: (facts: Facts, document: DocumentState<F>) => readonly DisabledReasonInput[]
}

interface Step {
  readonly code: LifecycleCode
  readonly label: string
  readonly description: string
  readonly icon: string
  readonly kind: 'Primary' | 'Secondary' | 'Dangerous'
  readonly order: number
  readonly permission: string
  readonly confirmation?: Confirmation
  readonly from: DocumentStatus
  readonly to: DocumentStatus
}

/**
 *     Draft ──post──▶ Posted ──repost──▶ Posted
 *     Draft ◀─unpost── Posted
 *     Draft ──mark_for_deletion──▶ MarkedForDeletion ──unmark_for_deletion──▶ Draft
 */
const steps: readonly Step[] = [
  {
    code: 'post',
    label: 'Post',
    description: 'Writes the document to the books.',
    icon: 'post',
    kind: 'Primary',
    order: 10,
    permission: 'post',
    from: 'Draft',
    to: 'Posted',
  },
  {
    code: 'unpost',
    label: 'Unpost',
    description: 'Removes the document from the books so that it can be edited.',
    icon: 'unpost',
    kind: 'Secondary',
    order: 20,
    permission: 'unpost',
    confirmation: {
      mode: 'Confirm',
      title: 'Unpost this document?',
      message: 'Its effects on the books are reversed. It becomes a draft again.',
      confirmLabel: 'Unpost',
    },
    from: 'Posted',
    to: 'Draft',
  },
  {
    code: 'repost',
    label: 'Post again',
    description: 'Reverses the effects on the books and writes them again.',
    icon: 'repost',
    kind: 'Secondary',
    order: 30,
    permission: 'repost',
    confirmation: {
      mode: 'Confirm',
      title: 'Post this document again?',
      message: 'Its effects on the books are reversed and written again.',
      confirmLabel: 'Post again',
    },
    from: 'Posted',
    to: 'Posted',
  },
  {
    code: 'mark_for_deletion',
    label: 'Mark for deletion',
    description: 'Takes the document out of use. You can restore it later.',
    icon: 'mark-for-deletion',
    kind: 'Dangerous',
    order: 900,
    permission: 'mark_for_deletion',
    confirmation: {
      mode: 'Confirm',
      title: 'Mark this document for deletion?',
      message: 'The document and its attachments and notes are taken out of use. You can restore them later.',
      confirmLabel: 'Mark for deletion',
    },
    from: 'Draft',
    to: 'MarkedForDeletion',
  },
  {
    code: 'unmark_for_deletion',
    label: 'Restore',
    description: 'Makes the document a draft again.',
    icon: 'unmark-for-deletion',
    kind: 'Secondary',
    order: 910,
    permission: 'mark_for_deletion',
    from: 'MarkedForDeletion',
    to: 'Draft',
  },
]

/** The lifecycle steps of a type, with the additions of the vertical. Absent steps are not actions of the type. */
export type LifecycleSteps<F extends Fields, Facts> = Readonly<
  Partial<Record<LifecycleCode, LifecycleStep<F, Facts>>>
>

/** Returns the steps as actions, each with its texts, order and status rule. */
export function lifecycleActions<F extends Fields, Facts>(
  own: LifecycleSteps<F, Facts>,
): readonly ActionDefinition[] {
  return steps.flatMap(({ from, to, ...texts }) => {
    const step = own[texts.code]
    if (step === undefined) return []
    return command<F, Facts>({
      ...texts,
      disabledReasons(facts, document) {
        const reason = statusReason(texts.code, from, document.status)
        if (reason === null) return step.disabledReasons?.(facts, document) ?? []
        // A remedy must be an action of the type.
        const code = reason.remedy?.actionCode as LifecycleCode | undefined
        return [code === undefined || own[code] !== undefined ? reason : { ...reason, remedy: null }]
      },
      async handle(tx, execution) {
        return { ...(await step.handle?.(tx, execution)), status: to }
      },
    })
  })
}

/** Returns the reason why the status does not allow a step, or `null` if the status allows the step. */
function statusReason(
  code: LifecycleCode,
  from: DocumentStatus,
  status: DocumentStatus,
): DisabledReasonInput | null {
  if (status === from) return null
  if (code === 'unmark_for_deletion') {
    return { code: 'document.not_marked_for_deletion', message: 'The document is not marked for deletion.' }
  }
  if (status === 'MarkedForDeletion') {
    return {
      code: 'document.marked_for_deletion',
      message: 'The document is marked for deletion.',
      remedy: lifecycleRemedy('unmark_for_deletion', 'Restore the document.'),
    }
  }
  if (status === 'Draft') return { code: 'document.not_posted', message: 'The document is not posted.' }
  return code === 'post'
    ? { code: 'document.already_posted', message: 'The document is already posted.' }
    : {
        code: 'document.posted',
        message: 'The document is posted.',
        remedy: lifecycleRemedy('unpost', 'Unpost the document first.'),
      }
}

const lifecycleRemedy = (actionCode: LifecycleCode, message: string): Remedy => ({ actionCode, message })
