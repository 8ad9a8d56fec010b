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

/** Makes actions of a type with any fields and facts. */
export const make = actionMakers<Fields, unknown>()

/** A command that does nothing, with what a test is about. */
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

/** A type over the generic store with these actions. */
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
