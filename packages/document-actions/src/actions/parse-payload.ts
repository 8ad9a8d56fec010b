import { parseRequest } from '@vertical-kit/core-audit'
import * as v from 'valibot'
import type { ActionDefinition } from './action-definition.ts'

/**
 * What an action's schema makes of the payload; `undefined` for one that asks for nothing, whatever was sent.
 * @throws {CoreError} request.invalid, every wrong field with its path
 */
export function parsePayload(definition: ActionDefinition<unknown>, payload: unknown): unknown {
  if (!('payload' in definition) || definition.payload === undefined) return undefined
  return parseRequest(v.object({ payload: definition.payload }), { payload }).payload
}
