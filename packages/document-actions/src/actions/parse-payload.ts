import { isStorable } from '@vertical-kit/core-audit/contract'
import { parseRequest } from '@vertical-kit/core-audit/http'
import * as v from 'valibot'
import type { ActionDefinition } from './action-definition.ts'

/**
 * What an action's schema makes of the payload; `undefined` for one that asks for nothing, whatever was sent. Text that
 * cannot be stored is refused whatever the schema says: it would end in a document's fields.
 *
 * @throws {CoreError} request.invalid, every wrong field with its path
 */
export function parsePayload(definition: ActionDefinition, payload: unknown): unknown {
  if (!('payload' in definition) || definition.payload === undefined) return undefined
  const schema = v.pipe(v.unknown(), storable, definition.payload)
  return parseRequest(v.object({ payload: schema }), { payload }).payload
}

const storable = v.check<unknown, string>(isStorableThroughout, 'holds a character that cannot be stored')

function isStorableThroughout(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorableThroughout(inner))
}
