import { toJsonSchema } from '@valibot/to-json-schema'
import type { ActionDefinition } from './action-definition.ts'

/** A JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Returns the JSON Schema of an action's payload, so that clients can build a form. Checks that JSON Schema cannot express
 * are omitted: the service still enforces them. Undefined for an action without a payload.
 */
export function payloadSchemaOf(definition: ActionDefinition): JsonSchema | undefined {
  if (!('payload' in definition) || definition.payload === undefined) return undefined
  return toJsonSchema(definition.payload, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
  }) as JsonSchema
}
