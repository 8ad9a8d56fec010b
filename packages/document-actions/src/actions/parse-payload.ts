import { isStorable } from '@vertical-kit/core-audit/contract'
import { parseRequest } from '@vertical-kit/core-audit/http'
import * as v from 'valibot'
import type { ActionDefinition } from './action-definition.ts'

/**
 * Parses the payload with the schema of the action; returns `undefined` for an action without a schema. Always rejects
 * text that PostgreSQL cannot store, because handlers write the payload to documents.
 *
 * @throws {CoreError} request.invalid, with the path of every invalid field
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
