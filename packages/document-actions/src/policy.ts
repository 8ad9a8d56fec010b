import { type Caller, holds } from '@vertical-kit/core-audit/access'
import { codePointCount, isStorable, trimWhiteSpace } from '@vertical-kit/core-audit/contract'
import type { ActionDefinition } from './actions/action-definition.ts'
import type { RegisteredAction, RegisteredType } from './actions/registry.ts'
import type { DisabledReason, DocumentAction } from './contract.ts'
import type { DocumentState } from './documents/document-store.ts'
import { DocumentActionsError } from './errors.ts'

/** Of a confirmation's reason, in Unicode code points. */
export const maxReasonChars = 1_000

/** The type's actions as the caller may see them: those they may not execute are absent, not disabled. */
export function describeActions(
  type: RegisteredType,
  caller: Caller,
  document: DocumentState,
  facts: unknown,
): DocumentAction[] {
  return [...type.actions.values()]
    .filter(({ permission }) => holds(caller, permission))
    .map(({ definition }) => describeAction(definition, document, facts))
}

function describeAction(
  definition: ActionDefinition,
  document: DocumentState,
  facts: unknown,
): DocumentAction {
  const { code, label, description, icon, kind, executionKind, order, confirmation = null } = definition
  const disabledReasons = disabledReasonsOf(definition, document, facts)
  return {
    code,
    label,
    description,
    icon,
    kind,
    executionKind,
    order,
    confirmation,
    target:
      'targetCode' in definition
        ? { code: definition.targetCode, parameters: definition.parametersOf(document, facts) }
        : null,
    isAllowed: disabledReasons.length === 0,
    disabledReasons: [...disabledReasons],
  }
}

const disabledReasonsOf = (
  definition: ActionDefinition,
  document: DocumentState,
  facts: unknown,
): readonly DisabledReason[] => definition.disabledReasons?.(facts, document) ?? []

/**
 * Refuses a document the caller may not see, with the answer an unknown id gets; returns the one they may.
 * @throws {DocumentActionsError} documents.not_found
 */
export function requireVisible<Document extends DocumentState>(
  type: RegisteredType,
  caller: Caller,
  document: Document | undefined,
): Document {
  const { definition, viewPermission } = type
  const isVisible =
    document !== undefined &&
    holds(caller, viewPermission) &&
    (definition.isVisibleTo?.(caller, document) ?? true)
  if (!isVisible) throw new DocumentActionsError('documents.not_found')
  return document
}

/** @throws {DocumentActionsError} document_action.forbidden */
export function requireExecutable(caller: Caller, action: RegisteredAction): void {
  if (!holds(caller, action.permission)) throw new DocumentActionsError('document_action.forbidden')
}

/**
 * Refuses a change to another version of the document than the caller saw. Routes that edit or delete drafts call it
 * with the document they have locked; without the lock, the version may change before the write.
 *
 * @throws {DocumentActionsError} documents.version_conflict, with both versions in its context
 */
export function checkVersion(document: DocumentState, expectedVersion: number): void {
  if (document.version === expectedVersion) return
  throw new DocumentActionsError('documents.version_conflict', {
    context: { expectedVersion, actualVersion: document.version },
  })
}

/** @throws {DocumentActionsError} document_action.unavailable, the codes of the reasons in its context */
export function checkAvailable(definition: ActionDefinition, document: DocumentState, facts: unknown): void {
  const reasonCodes = disabledReasonsOf(definition, document, facts).map(({ code }) => code)
  if (reasonCodes.length > 0) {
    throw new DocumentActionsError('document_action.unavailable', { context: { reasonCodes } })
  }
}

/**
 * The reason as it is recorded: trimmed; `null` when none was given and none is needed.
 * @throws {DocumentActionsError} document_action.reason_required · reason_invalid
 */
export function normalizeReason(definition: ActionDefinition, given: string | null): string | null {
  const isRequired = definition.confirmation?.mode === 'RequireReason'
  if (given === null) {
    if (isRequired) throw new DocumentActionsError('document_action.reason_required')
    return null
  }
  const reason = trimWhiteSpace(given)
  if ((isRequired && reason === '') || !isStorable(reason) || codePointCount(reason) > maxReasonChars) {
    throw new DocumentActionsError('document_action.reason_invalid', {
      context: { maxChars: maxReasonChars },
    })
  }
  return reason === '' ? null : reason
}
