import type { DocumentState } from '@vertical-kit/document-actions'
import type { CreateTask } from '@vertical-kit/work-center'

/** Returns the source and target of an item about an order or invoice. Users without the view permission cannot see it. */
export function aboutDocument(
  { typeCode, id, display }: DocumentState,
  customerName: string,
): Pick<CreateTask, 'source'> & { readonly target: NonNullable<CreateTask['target']> } {
  return {
    source: {
      resourceKind: 'document',
      resourceCode: typeCode,
      entityId: id,
      title: display,
      subtitle: customerName,
    },
    // The navigation target for documents has the code of their type.
    target: { code: typeCode, parameters: { documentId: id } },
  }
}
