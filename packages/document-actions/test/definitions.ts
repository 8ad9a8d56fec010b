import { newId } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import {
  type ActionDefinition,
  type CommandDefinition,
  command,
  type DocumentState,
  type DocumentType,
  genericDocumentStore,
} from '@vertical-kit/document-actions'

/** A command that does nothing, with what a test is about. */
export function aCommand(more: Partial<CommandDefinition<unknown>> = {}): ActionDefinition<unknown> {
  return command<unknown, unknown>({
    code: 'shop.do',
    label: 'Do',
    description: 'Does it.',
    icon: 'do',
    kind: 'Primary',
    order: 1,
    permission: 'do',
    async handle() {
      return undefined
    },
    ...more,
  })
}

/** A type over the generic store with these actions. */
export function aType(
  actions: readonly ActionDefinition<unknown>[] = [],
  more: Partial<DocumentType> = {},
): DocumentType {
  return { typeCode: 'shop.thing', plural: 'things', store: genericDocumentStore, actions, ...more }
}

/** A draft as rules look at it. */
export function aDocument(more: Partial<DocumentState> = {}): DocumentState {
  return {
    id: newId(),
    typeCode: 'shop.thing',
    number: '1',
    display: 'Thing 1',
    status: 'Draft',
    version: 1,
    payload: { fields: {} },
    ...more,
  }
}

/** Somebody with exactly these permissions. */
export function aCaller(...permissions: readonly string[]): Caller {
  return {
    subject: 'somebody',
    email: null,
    displayName: 'Somebody',
    userId: newId(),
    profileChanged: false,
    isPlatformAdministrator: false,
    isAdministrator: false,
    roles: [],
    permissions: new Set(permissions),
  }
}
