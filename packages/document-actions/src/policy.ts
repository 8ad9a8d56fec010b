import { type Caller, holds } from '@vertical-kit/core-audit/access'
import { codePointCount, isStorable, trimWhiteSpace } from '@vertical-kit/core-audit/contract'
import type { ActionDefinition, DisabledReasonInput } from './actions/action-definition.ts'
import type { RegisteredAction, RegisteredType } from './actions/registry.ts'
import type { DocumentAction } from './contract.ts'
import type { DocumentState } from './documents/document-store.ts'
import { DocumentActionsError } from './errors.ts'

/** Maximum length of a reason, in Unicode code points. */
export const maxReasonChars = 1_000

/** Returns the actions of a type that the caller has permission for. Actions without permission are absent. */
export function describeActions(
  type: RegisteredType,
  caller: Caller,
  document: DocumentState,
  facts: unknown,
): DocumentAction[] {
  return [...type.actions.values()]
    .filter(({ permission }) => holds(caller, permission))
    .map((action) => describeAction(action, document, facts))
}

function describeAction(
  { definition, payloadSchema }: RegisteredAction,
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
    disabledReasons: disabledReasons.map(({ code, message, remedy = null }) => ({ code, message, remedy })),
    ...(payloadSchema && { payloadSchema }),
  }
}

const disabledReasonsOf = (
  definition: ActionDefinition,
  document: DocumentState,
  facts: unknown,
): readonly DisabledReasonInput[] => definition.disabledReasons?.(facts, document) ?? []

/**
 * Returns the document if the caller may see it. Hidden documents and unknown ids cause the same error.
 * @throws {DocumentActionsError} documents.not_found
 */
export function requireVisible<Document extends DocumentState>(
  type: RegisteredType,
  caller: Caller,
  document: Document | undefined,
): Document {
  if (document === undefined || !isVisible(type, caller, document)) {
    throw new DocumentActionsError('documents.not_found')
  }
  return document
}

/** Returns whether the caller may view documents of the type, and this document. */
export function isVisible(type: RegisteredType, caller: Caller, document: DocumentState): boolean {
  return holds(caller, type.viewPermission) && isShownTo(type, caller, document)
}

/** Returns whether the rule of the type shows this document to the caller. Checks no permission. */
export function isShownTo({ definition }: RegisteredType, caller: Caller, document: DocumentState): boolean {
  return definition.isVisibleTo?.(caller, document) ?? true
}

/** Throws without the action's permission. @throws {DocumentActionsError} document_action.forbidden */
export function requireExecutable(caller: Caller, action: RegisteredAction): void {
  if (!holds(caller, action.permission)) throw new DocumentActionsError('document_action.forbidden')
}

/**
 * Throws if the document has changed since the caller loaded it. Routes that edit or delete drafts call it with a locked
 * document; without the lock, the version could change before the write.
 *
 * @throws {DocumentActionsError} documents.version_conflict, with both versions in its context
 */
export function checkVersion(document: DocumentState, expectedVersion: number): void {
  if (document.version === expectedVersion) return
  throw new DocumentActionsError('documents.version_conflict', {
    context: { expectedVersion, actualVersion: document.version },
  })
}

/**
 * Throws if the document is not a draft or, if the caller passes an expected version, has another version. Checks the
 * version first, so a draft that another user has posted is a version conflict; clients then load the document again.
 * Like {@link checkVersion}, it needs a locked document.
 *
 * @throws {DocumentActionsError} documents.version_conflict · documents.not_draft, with the status in its context
 */
export function checkDraft(document: DocumentState, expectedVersion?: number): void {
  if (expectedVersion !== undefined) checkVersion(document, expectedVersion)
  const { status } = document
  if (status !== 'Draft') throw new DocumentActionsError('documents.not_draft', { context: { status } })
}

/** Throws if the action is disabled. @throws {DocumentActionsError} document_action.unavailable, with the reason codes */
export function checkAvailable(definition: ActionDefinition, document: DocumentState, facts: unknown): void {
  const reasonCodes = disabledReasonsOf(definition, document, facts).map(({ code }) => code)
  if (reasonCodes.length > 0) {
    throw new DocumentActionsError('document_action.unavailable', { context: { reasonCodes } })
  }
}

/**
 * Returns the trimmed reason, or `null` if it is empty and the action does not require one.
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
