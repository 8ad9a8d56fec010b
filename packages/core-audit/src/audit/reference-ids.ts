import { isUuid } from '../http/contract.ts'
import type { ReferencePaths } from '../objects/business-objects.ts'
import type { AuditEvent } from './contract.ts'

/** An id in an event, and the type code of its object, or `user`. */
export interface ReferenceId {
  readonly typeCode: string
  readonly id: string
}

/** The parts of an event that contain ids. */
type EventParts = Pick<AuditEvent, 'changes' | 'metadata'>

/** Returns the ids at the registered paths of an event. A path continues through lists without an index. */
export function referenceIds(
  { changes, metadata }: EventParts,
  paths: ReferencePaths,
): readonly ReferenceId[] {
  const found: ReferenceId[] = []
  const visit = (path: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(path, item)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) visit(`${path}.${name}`, part)
    } else if (typeof value === 'string' && Object.hasOwn(paths, path) && isUuid(value)) {
      found.push({ typeCode: paths[path] as string, id: value.toLowerCase() })
    }
  }
  for (const { fieldPath, oldValue, newValue } of changes) {
    visit(fieldPath, oldValue)
    visit(fieldPath, newValue)
  }
  visit('metadata', metadata)
  return found
}
