import { newId } from '@vertical-kit/core-audit'
import {
  type ActionDefinition,
  type CommandInput,
  type DocumentState,
  type DocumentType,
  type Fields,
  genericDocumentStore,
  type PayloadSchema,
} from '@vertical-kit/document-actions'
import * as v from 'valibot'
import { actionMakers } from '../src/actions/action-makers.ts'

/** The functions that define actions with any fields and facts. */
export const make = actionMakers<Fields, unknown>()

/** Returns a command without effects. `more` overrides its properties. */
export function aCommand(more: Partial<CommandInput<Fields, unknown, PayloadSchema>> = {}): ActionDefinition {
  return make.command({
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

/** Returns a type with the generic store and the given actions. */
export function aType(
  actions: readonly ActionDefinition[] = [],
  more: Partial<DocumentType> = {},
): DocumentType {
  return {
    typeCode: 'shop.thing',
    plural: 'things',
    fields: v.looseObject({}),
    store: genericDocumentStore,
    actions,
    ...more,
  }
}

/** Returns a draft as input of rules. */
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
